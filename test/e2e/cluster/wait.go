package cluster

import (
	"context"
	"fmt"
	"time"
)

// Until calls look every 50 ms until it says that it is done. look also says what it sees, which becomes part
// of the error when the time is over: "WHAT: not within 10s; last seen: …".
func Until(ctx context.Context, limit time.Duration, what string, look func(context.Context) (done bool, seen string)) error {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last := "nothing"
	for {
		done, seen := look(within)
		if done {
			return nil
		}
		if within.Err() == nil {
			last = seen
		}
		select {
		case <-within.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%s: not within %s; last seen: %s", what, limit, last)
		case <-tick.C:
		}
	}
}
