// SVG charts: lines or areas over time, and stacked bars. The style sheet sets the colors by series name.

import {clock, compact, duration} from '../core/format.js';
import {pref} from '../core/prefs.js';
import {View, html, nothing, svg} from '../core/view.js';

const PAD = {top: 10, right: 12, bottom: 22, left: 44};
const CHARACTER = 6.4;
/** Steps between axis labels, in seconds. */
const STEPS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

function niceTop(value) {
  if (value <= 0) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= value) ?? value;
}

/** The smallest axis maximum of two round time steps that is not less than the value. */
function niceTopOfTime(ms) {
  const seconds = ms / 2_000;
  const step = seconds <= 1 ? null : STEPS.find((each) => each >= seconds);
  return step ? 2_000 * step : niceTop(ms);
}

/** Round clock times for the axis labels; at most as many as fit. */
function roundTimes(first, last, most) {
  const offset = pref('time') === 'utc' ? 0 : new Date(first).getTimezoneOffset() * 60_000;
  const step = 1_000 * (STEPS.find((each) => (last - first) / (1_000 * each) <= most) ?? 86_400);
  const times = [];
  for (let at = Math.ceil((first - offset) / step) * step + offset; at <= last; at += step) {
    times.push(at);
  }
  return times;
}

const tick = (n) => (n > 0 && n < 1 ? n.toFixed(2).replace(/0$/, '') : n < 10 && n % 1 ? n.toFixed(1) : compact(n));

/**
 * @prop points [{at: ms, …values}] oldest first
 * @prop series [{key, label, kind}] kind: line or area; areas stack if `stacked` is set
 * @prop bare hides the legend unless the pointer is over the chart; for charts that have a legend next to them
 */
class TimeChart extends View {
  static props = ['points', 'series', 'stacked', 'label', 'height', 'format', 'bare'];
  #width = 0;
  #hover = null;

  start() {
    const watch = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width !== this.#width) {
        this.#width = width;
        this.update();
      }
    });
    watch.observe(this);
    this.until(() => watch.disconnect());
  }

  template() {
    const points = this.points ?? [];
    const series = this.series ?? [];
    const format = this.format ?? tick;
    const height = this.height ?? 200;
    const width = this.#width;
    if (points.length < 2 || width < 60) {
      return html`<div class="chart-empty">${points.length < 2 ? 'Not enough data yet. The dashboard collects data while it runs.' : nothing}</div>`;
    }
    const first = points[0].at;
    const last = points.at(-1).at;
    const sum = (p) => series.reduce((total, s) => total + (p[s.key] ?? 0), 0);
    const isTime = format === duration;
    const top = (isTime ? niceTopOfTime : niceTop)(Math.max(...points.map((p) => (this.stacked ? sum(p) : Math.max(...series.map((s) => p[s.key] ?? 0))))));
    const left = Math.max(PAD.left, 12 + CHARACTER * Math.max(format(top).length, format(top / 2).length));
    const x = (at) => left + ((at - first) / Math.max(1, last - first)) * (width - left - PAD.right);
    const y = (value) => height - PAD.bottom - (value / top) * (height - PAD.top - PAD.bottom);
    const below = points.map(() => 0);
    const shapes = series.map((s) => {
      const tops = points.map((p, i) => (this.stacked ? (below[i] += p[s.key] ?? 0) : p[s.key] ?? 0));
      const bottoms = this.stacked ? points.map((p, i) => tops[i] - (p[s.key] ?? 0)) : points.map(() => 0);
      const line = points.map((p, i) => `${i ? 'L' : 'M'}${x(p.at).toFixed(1)} ${y(tops[i]).toFixed(1)}`).join('');
      const back = points.map((p, i) => `L${x(p.at).toFixed(1)} ${y(bottoms[i]).toFixed(1)}`).reverse().join('');
      return {s, line, area: `${line}${back}Z`};
    });
    const hovered = this.#hover === null ? null : points[Math.min(this.#hover, points.length - 1)];
    const times = roundTimes(first, last, Math.max(2, Math.min(7, Math.floor(width / 110))));
    return html`<figure class="chart">
      <div class=${this.bare ? 'legend over' : 'legend'} ?hidden=${this.bare && !hovered}>${series.map((s) => html`<span class="series-${s.key}"><i></i>${s.label}${hovered ? html` <b>${format(hovered[s.key] ?? 0)}</b>` : nothing}</span>`)}
        ${hovered ? html`<span class="faint">${clock(new Date(hovered.at))}</span>` : nothing}</div>
      <svg width=${width} height=${height} role="img" aria-label=${this.#summary(points, series, format)}
        @pointermove=${(e) => this.#point(e, points, x)} @pointerleave=${() => { this.#hover = null; this.update(); }}>
        ${[0, 0.5, 1].map((part) => svg`<line class="grid" x1=${left} x2=${width - PAD.right} y1=${y(top * part)} y2=${y(top * part)}></line>
          <text class="axis" x=${left - 8} y=${y(top * part) + 4} text-anchor="end">${format(top * part)}</text>`)}
        ${times.map((at) => {
          const anchor = x(at) - left < 24 ? 'start' : width - PAD.right - x(at) < 24 ? 'end' : 'middle';
          return svg`<text class="axis" x=${x(at)} y=${height - 5} text-anchor=${anchor}>${clock(new Date(at), at % 60_000 !== 0)}</text>`;
        })}
        ${shapes.map(({s, line, area}) => svg`<g class="series-${s.key}">
          ${s.kind === 'line' ? nothing : svg`<path class=${this.stacked ? 'area solid' : 'area'} d=${area}></path>`}
          <path class="line" d=${line}></path></g>`)}
        ${hovered ? svg`<line class="cross" x1=${x(hovered.at)} x2=${x(hovered.at)} y1=${PAD.top} y2=${height - PAD.bottom}></line>` : nothing}
      </svg></figure>`;
  }

  #point(event, points, x) {
    const at = event.offsetX;
    let best = 0;
    points.forEach((p, i) => {
      if (Math.abs(x(p.at) - at) < Math.abs(x(points[best].at) - at)) {
        best = i;
      }
    });
    this.#hover = best;
    this.update();
  }

  #summary(points, series, format) {
    const last = points.at(-1);
    return `${this.label ?? 'Chart'}: ${series.map((s) => `${s.label} ${format(last[s.key] ?? 0)}`).join(', ')} (latest)`;
  }
}

TimeChart.define('time-chart');

/** A stacked bar; each part is scaled to `most`. @prop parts [{key, value, label}] */
export function stackBar(parts, most, label) {
  const whole = Math.max(1, most);
  let at = 0;
  return html`<svg class="stack" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${label}>
    <rect class="bar-back" width="100" height="10"></rect>
    ${parts.filter((p) => p.value > 0).map((p) => {
      const width = (100 * p.value) / whole;
      const from = at;
      at += width;
      return svg`<rect class="fill-${p.key}" x=${from} width=${Math.max(width, 0.4)} height="10"><title>${p.label ?? p.key}: ${compact(p.value)}</title></rect>`;
    })}</svg>`;
}

/** Vertical bars, one per day. @prop bars [{label, good, bad}] */
class DayBars extends View {
  static props = ['bars', 'label'];

  template() {
    const bars = this.bars ?? [];
    const top = Math.max(0, ...bars.map((b) => b.good + b.bad));
    if (top === 0) {
      return html`<p class="chart-empty">No tasks were processed in these days.</p>`;
    }
    const step = 100 / Math.max(1, bars.length);
    return html`<figure class="chart">
      <div class="legend"><span class="series-succeeded"><i></i>succeeded</span><span class="series-failed"><i></i>failed</span><span class="faint">max. ${compact(top)}</span></div>
      <svg class="days" viewBox="0 0 100 60" preserveAspectRatio="none" role="img" aria-label="${this.label ?? 'Days'}: ${bars.map((b) => `${b.label} ${b.good + b.bad}, ${b.bad} failed`).join('; ')}">
        ${bars.map((b, i) => {
          const good = (58 * b.good) / top;
          const bad = (58 * b.bad) / top;
          return svg`<g><title>${b.label}: ${compact(b.good)} succeeded, ${compact(b.bad)} failed</title>
            <rect class="hit" x=${i * step} width=${step} y="0" height="60"></rect>
            <rect class="fill-succeeded" x=${i * step + step * 0.15} width=${step * 0.7} y=${60 - good} height=${good}></rect>
            <rect class="fill-failed" x=${i * step + step * 0.15} width=${step * 0.7} y=${60 - good - bad} height=${bad}></rect></g>`;
        })}
      </svg>
      <div class="day-labels"><span>${bars[0]?.label ?? ''}</span><span>${bars.at(-1)?.label ?? ''}</span></div>
    </figure>`;
  }
}

DayBars.define('day-bars');
