#pragma once

#include <string_view>

namespace nodesieve::bench {

/// The style of the report's page, for light and for dark screens. Lines differ in colour and dash.
inline constexpr std::string_view html_style = R"(
:root {
    --ground: #fbfbfd; --card: #ffffff; --ink: #1c2230; --soft: #5a6478; --rule: #dfe3ea;
    --line-0: #2463c9; --line-1: #c2500a; --line-2: #0b7d62; --line-3: #7b45c0;
    --warn: #8a4b00; --warn-ground: #fff4e0;
}
@media (prefers-color-scheme: dark) {
    :root {
        --ground: #12151c; --card: #1a1f29; --ink: #e6e9f0; --soft: #a0a9bb; --rule: #323a49;
        --line-0: #78aefc; --line-1: #f5a45d; --line-2: #52cfa9; --line-3: #c5a5ff;
        --warn: #ffcf8a; --warn-ground: #33270f;
    }
}
* { box-sizing: border-box; }
body {
    margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 74rem; background: var(--ground);
    color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
}
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 0 0 .75rem; font-size: 1.1rem; }
header p { margin: .25rem 0; color: var(--soft); }
header p.warning {
    margin-top: .75rem; padding: .5rem .75rem; border-radius: .4rem; color: var(--warn);
    background: var(--warn-ground);
}
section {
    margin-top: 1.25rem; padding: 1rem 1.25rem 1.25rem; border: 1px solid var(--rule);
    border-radius: .6rem; background: var(--card);
}
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; }
.tile {
    flex: 1 1 8rem; padding: .7rem 1rem; border: 1px solid var(--rule); border-radius: .6rem;
    background: var(--card);
}
.tile dt { color: var(--soft); font-size: .85rem; }
.tile dd { margin: 0; font-size: 1.35rem; font-weight: 600; white-space: nowrap; }
.tile small { display: block; color: var(--soft); font-size: .8rem; font-weight: 400; }
.figure { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.5rem; }
@media (max-width: 52rem) { .figure, .pair { grid-template-columns: minmax(0, 1fr); } }
.scroll { max-height: 24rem; overflow: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { padding-bottom: .4rem; color: var(--soft); font-size: .85rem; text-align: left; }
th, td {
    padding: .28rem .5rem; border-bottom: 1px solid var(--rule); text-align: right;
    white-space: nowrap;
}
th { font-weight: 500; }
th:first-child { padding-left: 0; text-align: left; }
thead th { position: sticky; top: 0; background: var(--card); color: var(--soft); }
.text th, .text td { text-align: left; }
.text td { white-space: normal; overflow-wrap: anywhere; }
.text .scroll { max-height: none; margin-bottom: .75rem; }
.pair thead { display: none; }
svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--rule); stroke-width: 1; }
.tick, .axis-title { fill: var(--soft); font-size: 11px; }
polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.line-0 { --mine: var(--line-0); --dash: none; }
.line-1 { --mine: var(--line-1); --dash: 7 3; }
.line-2 { --mine: var(--line-2); --dash: 2 3; }
.line-3 { --mine: var(--line-3); --dash: 9 3 2 3; }
.line-0 polyline, .line-1 polyline, .line-2 polyline, .line-3 polyline {
    stroke: var(--mine); stroke-dasharray: var(--dash);
}
circle { fill: var(--mine); }
circle:hover { stroke: var(--mine); stroke-width: 5; }
.legend {
    display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .5rem; padding: 0;
    list-style: none; font-size: .85rem;
}
.legend svg { display: inline-block; width: 28px; height: 10px; margin-right: .45rem; }
@media print { body { max-width: none; } .scroll { max-height: none; } }
)";

}  // namespace nodesieve::bench
