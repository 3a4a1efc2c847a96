// Load: calls in flight against the adaptive limit, the latency that it takes for normal, what was shed, queues, permits, services.
import { html, nothing } from './lit-html.js';
import { clock, count, known, micros, perSecond, share, short } from './format.js';
import { data, source } from './live.js';
import { dropped, empty, key, missing, name, rule, table, usage } from './parts.js';

export const title = 'Load';
const MOST = 900;
const LEAST = 60;

// The calls in flight of each port, one a second since this page was opened: the server keeps no history of them.
let seen = new Map();
let lastAt = 0;
let openedAt = 0;

export const sources = () => ({ load: '/admin/v1/load' });

export function enter() {
  seen = new Map();
  lastAt = 0;
  openedAt = Date.now() / 1000;
}

function remember(told) {
  if (told.at <= lastAt) return;
  const gap = lastAt === 0 ? 0 : Math.min(MOST, told.at - lastAt - 1);
  for (const each of told.shedder) {
    const points = seen.get(each.port) ?? new Array(LEAST - 1).fill(null);
    // A poll that comes late by a moment skips a second; a longer silence is a gap.
    for (let i = 0; i < gap; i++) points.push(gap <= 2 ? points.at(-1) : null);
    points.push({ inFlight: each.in_flight, limit: each.limit, baseline: each.baseline_us, shed: Object.values(each.shed).reduce((a, b) => a + b, 0) });
    seen.set(each.port, points.slice(-MOST));
  }
  lastAt = told.at;
}

const positive = value => (known(value) && value >= 0 ? value : null);

function chart(each) {
  const points = seen.get(each.port) ?? [];
  const of = pick => points.map(point => (point === null ? null : pick(point)));
  const shed = points.map((point, index) => (point === null || !points[index - 1] ? null : Math.max(0, point.shed - points[index - 1].shed)));
  return html`<weir-chart .data=${{
    label: `Load of the ${each.port} port`, from: lastAt - points.length + 1, step: 1, panels: [
      { title: 'In flight', format: short, least: 1, series: [
        { name: 'in flight', ink: 'allowed', line: 'solid', fill: true, values: of(point => point.inFlight) },
        { name: 'limit', ink: 'quiet', line: 'dashed', values: of(point => point.limit) }] },
      { title: 'Baseline latency', format: micros, weight: 0.8, least: 100, series: [{ name: 'baseline latency', ink: 'p99', line: 'solid', values: of(point => positive(point.baseline)) }] },
      { title: 'Shed per second', format: short, least: 1, weight: 0.6, series: [{ name: 'shed', ink: 'denied', line: 'solid', fill: true, values: shed }] },
    ],
  }}></weir-chart>`;
}

function port(each, on) {
  return html`<section aria-labelledby="port-${each.port}"><h2 id="port-${each.port}">The ${each.port} port</h2>
    <dl class="facts"><div><dt>In flight of the limit</dt><dd>${usage(each.limit > 0 ? each.in_flight / each.limit : null)} <span class="number quiet">${count(each.in_flight)} of ${count(each.limit)}</span></dd></div>
      <div><dt>Baseline latency</dt><dd class="number">${micros(each.baseline_us)}</dd></div>
      <div><dt>Shed, by priority</dt><dd class="number">${Object.entries(each.shed).map(([priority, number]) => html`<span class="part"><span class="quiet">${priority}</span> <span class=${number > 0 ? 'wrong' : ''}>${count(number)}</span></span> `)}</dd></div></dl>
    ${on ? nothing : html`<p class="quiet">Shedding is off: the limit is not enforced.</p>`}
    ${chart(each)}
    <p class="quiet">Since this page was opened, at ${clock(openedAt)}. Counts of shed requests are since the server started.</p></section>`;
}

export function view() {
  const told = data('load');
  if (!told) return html`<h1>Load</h1>${missing(source('load'))}`;
  remember(told);
  const waits = Object.entries(told.queues?.waits ?? {});
  return html`<h1>Load</h1>
    ${told.shedder.length ? html`<div class="columns">${told.shedder.map(each => port(each, told.on))}</div>` : empty('No port has taken a request yet.')}
    <div class="columns">
      <section aria-labelledby="queues"><h2 id="queues">Queues</h2>
        <dl class="facts"><div><dt>Waiting for their turn</dt><dd class="number">${count(told.queues?.waiting)}</dd></div><div><dt>In the tarpit</dt><dd class="number">${count(told.queues?.tarpitted)}</dd></div>
        ${waits.length ? html`<div><dt>Since the start</dt><dd class="number">${waits.map(([outcome, number]) => html`<span class="part"><span class="quiet">${outcome.replaceAll('_', ' ')}</span> ${count(number)}</span> `)}</dd></div>` : nothing}</dl></section>
      <section aria-labelledby="permits"><h2 id="permits">Calls in flight under a rule</h2>
        ${told.permits.length ? table('Permits', ['Rule', 'Caller', 'Use', ['In flight', 'number'], ['Limit', 'number']], told.permits.map(each => html`<tr><td>${rule(each.domain, each.rule)}</td><td>${key(each)}</td>
          <td>${usage(each.limit > 0 ? each.in_flight / each.limit : null)}</td><td class="number">${count(each.in_flight)}</td><td class="number">${count(each.limit)}</td></tr>`))
          : empty('None now. Rules that limit calls in flight have', 'algorithm: concurrency')}</section>
    </div>
    ${told.services.length ? html`<section aria-labelledby="services"><h2 id="services">Services that reported their load</h2>${table('Services', ['Service', 'Utilisation'], told.services.map(each => html`<tr>
      <td>${name(each.service)}</td><td>${usage(each.utilisation)}</td></tr>`))}</section>` : nothing}
    ${(told.envoys ?? []).length ? html`<section aria-labelledby="envoys"><h2 id="envoys">Envoys that spend by themselves</h2>${table('Envoys', ['Envoy', 'Domain', ['Buckets', 'number'], ['Hits held', 'number'], ['Last report', 'number']], told.envoys.map(each => html`<tr>
      <td>${name(each.envoy)}</td><td>${name(each.domain)}</td><td class="number">${count(each.buckets)}</td><td class="number">${count(each.held)}</td><td class="number">${clock(each.reported)}</td></tr>`))}</section>` : nothing}
    <section aria-labelledby="nodes"><h2 id="nodes">Servers</h2>${table('Servers', ['Server', ['Decisions', 'number'], ['Denied', 'number'], ['p99', 'number'], ['In flight', 'number'], ['Limit', 'number'], ['Shed', 'number']], told.nodes.map(each => html`<tr>
      <td>${name(each.node)}${each.self ? html` <span class="badge">this one</span>` : each.silent ? html` <span class="badge off">silent</span>` : nothing}</td><td class="number">${perSecond(each.decisions_rate)}</td><td class="number">${share(each.denied_share)}</td>
      <td class="number">${micros(each.p99_us)}</td><td class="number">${count(each.in_flight)}</td><td class="number">${count(each.limit)}</td><td class="number">${perSecond(each.shed_rate)}</td></tr>`))}</section>
    ${dropped(told.dropped)}`;
}

