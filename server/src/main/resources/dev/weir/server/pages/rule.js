// One rule: its use, its chart, its callers, its text, and its switch.
import { html, nothing } from './lit-html.js';
import { counts, micros, share, short, span } from './format.js';
import { data, source } from './live.js';
import * as marks from './marks.js';
import { topKeys, traffic } from './now.js';
import { dropped, empty, key, missing, modes, name, ranges, table, usage, wouldHave } from './parts.js';
import { open, send } from './prompt.js';
import * as route from './route.js';
import { column, merging, timed, trimmed } from './series.js';
import { ruleText } from './yaml.js';

const POINTS = { '15m': 900, '6h': 2160, '14d': 20160 };
const EVERY = { '15m': 1000, '6h': 10_000, '14d': 60_000 };
const BY = { denied: 'denied most', allowed: 'allowed most', nearest: 'nearest to the limit' };

/** The window of the callers; those nearest to the limit are as they are now. */
const windowOf = params => params.get('by') === 'nearest' ? 'minute' : params.get('window') ?? 'minute';

export function sources(params) {
  const range = params.get('range') ?? '15m';
  const which = `domain=${encodeURIComponent(params.get('domain') ?? '')}&rule=${encodeURIComponent(params.get('rule'))}`;
  return {
    live: `/admin/v1/live?limit=100&domain=${encodeURIComponent(params.get('domain') ?? '')}&q=${encodeURIComponent(params.get('rule'))}`,
    history: [`/admin/v1/history?range=${range}&${which}`, { every: EVERY[range], merge: merging(POINTS[range]), cursor: told => told.at }],
    top: [`/admin/v1/top?by=${params.get('by') ?? 'denied'}&window=${windowOf(params)}&${which}`, { every: 2000 }],
    rule: [`/v1/ratelimit/config/${encodeURIComponent(params.get('rule'))}?domain=${encodeURIComponent(params.get('domain') ?? '')}`, { every: 5000 }],
    ...marks.sources(range),
  };
}

export function enter() {}

function switchDialog(domain, rule) {
  open({
    title: html`Switch ${name(rule)}`,
    text: html`<p>A switch overrides what is written, on every server in under 2 s, until it is released.</p>`,
    fields: [
      { name: 'state', label: 'State', value: 'shadow', options: [['shadow', 'shadow: counts, denies nobody'], ['rollout', 'rollout: denies a share of its callers'],
        ['on', 'on: denies everybody'], ['off', 'off: as if it did not exist'], ['release', 'release: what is written applies again']] },
      { name: 'rollout', label: 'Rollout, percent (only for rollout)', type: 'number', min: 1, max: 100, value: '25' },
      { name: 'reason', label: 'Reason, for the audit', hint: 'ticket 4711' },
    ],
    action: 'Switch',
    act: ({ state, rollout, reason }) => {
      const path = `/admin/v1/switches/${encodeURIComponent(rule)}?domain=${encodeURIComponent(domain)}`;
      if (state === 'release') return send('DELETE', path, undefined, { reason });
      const body = state === 'rollout' ? { state: 'on', rollout: Number(rollout) } : { state };
      return send('PUT', path, { ...body, reason });
    },
  });
}

function nearest(keys) {
  return table('Callers nearest to the limit', ['Caller', 'Use', ['Left', 'number'], ['Limit', 'number']], keys.map(each => html`<tr>
    <td>${key(each)}</td><td>${usage(each.utilisation)}</td><td class="number">${short(each.remaining)}</td><td class="number">${short(each.limit)}</td></tr>`));
}

function top(params) {
  const told = data('top');
  const by = params.get('by') ?? 'denied';
  const choice = (all, now, address) => Object.entries(all).map(([value, text]) => html`<a href=${address(value)} aria-current=${value === now ? 'true' : 'false'}>${text}</a>`);
  return html`<section aria-labelledby="top"><div class="head"><h2 id="top">Callers</h2><div class="controls">
      <span class="choice" role="group" aria-label="Order">${choice(BY, by, value => route.changed({ by: value === 'denied' ? '' : value }))}</span>
      ${by === 'nearest' ? nothing : html`<span class="choice" role="group" aria-label="Window">${choice({ minute: 'last minute', hour: 'last hour' }, windowOf(params), value => route.changed({ window: value === 'minute' ? '' : value }))}</span>`}
    </div></div>
    ${told ? (told.keys.length === 0 ? empty(by === 'denied' ? 'The rule denied nobody in this time.' : 'No callers in this time.')
      : by === 'nearest' ? nearest(told.keys) : topKeys(told.keys, `Callers ${BY[by]}`)) : missing(source('top'))}
    ${told ? html`<p class="quiet">Of ${told.nodes} server${told.nodes === 1 ? '' : 's'}${told.silent_nodes ? `, ${told.silent_nodes} silent` : ''}.</p>` : nothing}
    ${dropped(told?.dropped)}</section>`;
}

function latency(whole) {
  const series = timed(trimmed(whole));
  return html`<weir-chart class="low" .data=${{ label: 'Latency', from: series.from, step: series.step, panels: [{ title: `Time to decide${series.step > whole.step ? `, in steps of ${span(series.step)}` : ''}`, format: micros, series: [
    { name: 'p50', ink: 'p50', line: 'solid', values: column(series, 'p50') }, { name: 'p99', ink: 'p99', line: 'dashed', values: column(series, 'p99') }] }] }}></weir-chart>`;
}

function facts(live) {
  return html`<dl class="facts">
    <div><dt>Limit</dt><dd>${counts(live.limit)}</dd></div>
    <div><dt>Use, nearest caller</dt><dd>${usage(live.utilisation)}</dd></div>
    <div><dt>Allowed</dt><dd class="number">${short(live.allowed_rate)}/s</dd></div>
    <div><dt>Denied</dt><dd class="number">${short(live.denied_rate)}/s (${share(live.denied_share)})</dd></div>
    ${live.busiest ? html`<div class="wide"><dt>One caller is nearly all of it</dt><dd>${share(live.busiest.share)}: ${key({ ...live.busiest, domain: live.domain })}</dd></div>` : nothing}
  </dl>`;
}

function written(role, domain, label) {
  const told = data('rule');
  if (!told) return missing(source('rule'));
  const isOurs = told.source === 'database';
  return html`<section aria-labelledby="text"><div class="head"><h2 id="text">As it is written</h2>
      ${role === 'admin' ? html`<a class="button" href=${route.to('rules', { edit: '1', domain, rule: label })}>Edit</a>` : nothing}</div>
    <p class="quiet">In ${name(told.source)}${told.hides ? html`, which overrides ${name(told.hides)}` : nothing}${isOurs ? html`, changed by ${name(told.updated_by)}` : nothing}.</p>
    <pre tabindex="0" aria-label="The rule">${ruleText(told)}</pre></section>`;
}

export function view(params, role) {
  const domain = params.get('domain') ?? '';
  const label = params.get('rule');
  const live = data('live')?.rules.find(each => each.rule === label && each.domain === domain);
  const history = data('history');
  const range = params.get('range') ?? '15m';
  return html`<p class="back"><a href=${route.to('rules')}>Rules</a></p>
    <div class="head"><h1>${name(label)} <span class="quiet domain">${name(domain)}</span> ${live ? modes(live) : nothing}</h1><div class="controls">
      <a class="button" href=${route.to('try', { in: domain })}>Try it</a>
      ${role === 'viewer' || role === null ? nothing : html`<button @click=${() => switchDialog(domain, label)}>Switch</button>`}
    </div></div>
    ${live ? html`${facts(live)}${live.shadow || live.hour.shadow_denied > 0 ? html`<p>${wouldHave(live.hour)}</p>` : nothing}`
      : data('live') ? empty('The rule is not in force.') : missing(source('live'))}
    <div class="stage"><section aria-labelledby="traffic"><div class="head"><h2 id="traffic">Traffic</h2>${ranges(range, each => route.changed({ range: each === '15m' ? '' : each }))}</div>
      ${history ? html`${traffic(`Decisions of ${label}`, history.series, history.restarts)}${latency(history.series)}${dropped(history.dropped)}` : missing(source('history'))}</section>
    <div>${top(params)}
    ${written(role, domain, label)}</div></div>`;
}
