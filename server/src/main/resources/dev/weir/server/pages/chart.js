// <weir-chart> and <weir-spark>: a plot with its legend, its cursor, and the table behind it.
import { html, nothing, render } from './lit-html.js';
import { clock, moment } from './format.js';
import { draw, indexAt, spark } from './plot.js';
import { onChange } from './theme.js';

const ROWS = 120;
const GLYPHS = { allowed: '●', denied: '▲', shadow: '◌', degraded: '◆', shed: '■', p50: '○', p99: '△', other: '●' };

/** Draws again at the next frame, at the size that the element has, and while it is seen. */
class Drawn extends HTMLElement {
  #asked = false;
  #seen = new ResizeObserver(() => this.redraw());

  connectedCallback() {
    Drawn.all.add(this);
    this.#seen.observe(this);
  }

  disconnectedCallback() {
    Drawn.all.delete(this);
    this.#seen.disconnect();
  }

  redraw() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      if (this.isConnected) this.draw();
    });
  }

  /** The canvas at its size in the pixels of the screen. */
  context() {
    const canvas = this.querySelector('canvas');
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const scale = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const context = canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    return [context, width, height];
  }

  /** The colour of a class of the style sheet. A variable would say light-dark(…), which a canvas cannot read. */
  colour(name) {
    const probe = this.querySelector('.ink');
    probe.className = `ink ink-${name}`;
    return getComputedStyle(probe).color;
  }
}
Drawn.all = new Set();
onChange(() => Drawn.all.forEach(each => each.redraw()));

const PROBE = html`<span class="ink" aria-hidden="true"></span>`;

class Spark extends Drawn {
  set values(values) {
    this.data = values;
    this.redraw();
  }

  draw() {
    if (!this.data) return;
    if (!this.firstElementChild) render(html`<canvas aria-hidden="true"></canvas>${PROBE}`, this);
    const [context, width, height] = this.context();
    if (width > 0) spark(context, this.data, width, height, this.colour(this.getAttribute('ink') ?? 'allowed'));
  }
}

/**
 * A chart. Its `data` is {label, from, step, panels: [{title, format, series: [{name, ink, line, fill, values}]}], marks}.
 * The arrow keys move the cursor, and the table has every number that is drawn.
 */
class Chart extends Drawn {
  cursor = -1;
  open = false;

  set data(data) {
    this.chart = { ...data, length: data.panels[0].series[0]?.values.length ?? 0 };
    this.redraw();
  }

  draw() {
    if (!this.chart) return;
    render(this.view(), this);
    const [context, width, height] = this.context();
    if (width === 0) return;
    const ink = { text: this.colour('text'), quiet: this.colour('quiet'), grid: this.colour('grid'), font: getComputedStyle(this).fontFamily };
    for (const panel of this.chart.panels) {
      panel.series.forEach(series => { series.colour = this.colour(series.ink); });
    }
    draw(context, this.chart, width, height, ink, this.cursor);
  }

  view() {
    const { label, panels } = this.chart;
    const all = panels.flatMap(panel => panel.series.map(series => ({ ...series, format: panel.format })));
    const at = this.cursor >= 0 && this.cursor < this.chart.length ? this.cursor : this.chart.length - 1;
    return html`
      <div class="legend">
        ${all.map(series => html`<span><span class="glyph ink-${series.ink}" aria-hidden="true">${GLYPHS[series.ink] ?? GLYPHS.other}</span>
          ${series.name} <b class="number">${series.format(series.values[at])}</b></span>`)}
        <span class="quiet number">${this.chart.length ? this.time(at) : ''}${this.cursor < 0 ? ' (newest)' : ''}</span>
        ${this.marksAt(at).map(mark => html`<span class="quiet">${mark.kind === 'restart' ? '⟳' : '◆'} ${mark.text}</span>`)}
      </div>
      <canvas tabindex="0" role="img" aria-label="${label}. Arrow keys move the cursor; the table below has the numbers."
        @pointermove=${event => this.point(event)} @pointerleave=${() => this.move(-1)} @keydown=${event => this.key(event)}></canvas>
      ${PROBE}
      <details ?open=${this.open} @toggle=${event => { this.open = event.target.open; this.redraw(); }}>
        <summary>Table of ${label.toLowerCase()}</summary>
        ${this.open ? this.table(all) : nothing}
      </details>`;
  }

  time(index) {
    const at = this.chart.from + index * this.chart.step;
    return this.chart.step >= 60 ? moment(at) : clock(at);
  }

  marksAt(index) {
    const from = this.chart.from + index * this.chart.step;
    const near = Math.max(this.chart.step, (this.chart.step * this.chart.length) / 150);
    return this.cursor < 0 ? [] : (this.chart.marks ?? []).filter(mark => Math.abs(mark.at - from) <= near);
  }

  table(all) {
    const rows = [];
    for (let i = this.chart.length - 1; i >= 0 && rows.length < ROWS; i--) rows.push(i);
    const cut = this.chart.length - rows.length;
    return html`${cut > 0 ? html`<p class="quiet">The newest ${ROWS} of ${this.chart.length} intervals of ${this.chart.step} s.</p>` : nothing}
      <div class="scroll" tabindex="0" role="group" aria-label="Table of ${this.chart.label.toLowerCase()}"><table>
      <thead><tr><th scope="col">From</th>${all.map(series => html`<th scope="col" class="number">${series.name}</th>`)}</tr></thead>
      <tbody>${rows.map(i => html`<tr><td class="number">${this.time(i)}</td>${all.map(series => html`<td class="number">${
        series.values[i] === null ? 'no data' : series.format(series.values[i])}</td>`)}</tr>`)}</tbody>
    </table></div>`;
  }

  point(event) {
    const box = event.target.getBoundingClientRect();
    this.move(indexAt(event.clientX - box.left, box.width, this.chart.length));
  }

  key(event) {
    const last = this.chart.length - 1;
    const at = this.cursor < 0 ? last : this.cursor;
    const far = event.shiftKey ? 10 : 1;
    const next = { ArrowLeft: at - far, ArrowRight: at + far, Home: 0, End: last, Escape: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.move(event.key === 'Escape' ? -1 : Math.max(0, Math.min(last, next)));
  }

  move(cursor) {
    if (cursor === this.cursor) return;
    this.cursor = cursor;
    this.redraw();
  }
}

customElements.define('weir-spark', Spark);
customElements.define('weir-chart', Chart);
