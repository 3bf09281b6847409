package cluster

import (
	"context"
	"fmt"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Durations is nodesieve's histogram of a verb's request durations, from the first byte of a request to the last
// byte of its answer.
type Durations struct{ buckets []*dto.Bucket }

// Durations of a verb so far.
func (e *Extender) Durations(ctx context.Context, verb string) (Durations, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.admin+"/metrics", nil)
	if err != nil {
		return Durations{}, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return Durations{}, err
	}
	defer answer.Body.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		return Durations{}, err
	}
	for _, metric := range families["nodesieve_request_duration_seconds"].GetMetric() {
		for _, label := range metric.Label {
			if label.GetName() == "verb" && label.GetValue() == verb {
				return Durations{metric.Histogram.Bucket}, nil
			}
		}
	}
	return Durations{}, fmt.Errorf("no durations of %s among the metrics", verb)
}

// MedianSince gives the median of what came behind earlier, in ms, as Prometheus' histogram_quantile does.
func (d Durations) MedianSince(earlier Durations) float64 {
	count := func(i int) float64 {
		return float64(d.buckets[i].GetCumulativeCount() - earlier.buckets[i].GetCumulativeCount())
	}
	half, lower, below := count(len(d.buckets)-1)/2, 0.0, 0.0
	for i, bucket := range d.buckets {
		if count(i) >= half {
			return 1000 * (lower + (bucket.GetUpperBound()-lower)*(half-below)/(count(i)-below))
		}
		lower, below = bucket.GetUpperBound(), count(i)
	}
	return 0
}
