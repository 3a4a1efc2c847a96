// Now: the state in one sentence, five figures, allowed against denied, who is denied, and by which rules.
import { html, nothing } from './lit-html.js';
import { counts, known, micros, perSecond, share, short, since } from './format.js';
import { data, source } from './live.js';
import * as marks from './marks.js';
import { deniedShare, dropped, empty, key, missing, modes, name, oneDomain, ranges, rule, table } from './parts.js';
import * as route from './route.js';
import { column, isEmpty, merging, ratio, trimmed } from './series.js';

export const title = 'Now';
const SECONDS = 900;
const LEVELS = { ok: ['●', 'allowed'], warn: ['◆', 'degraded'], bad: ['▲', 'denied'] };

export function sources(params) {
  const range = params.get('range') ?? '15m';
  return {
    now: ['/admin/v1/now', { merge: merging(SECONDS), cursor: told => told.at }],
    ...(range === '15m' ? {} : { history: [`/admin/v1/history?range=${range}`, { every: 10_000 }] }),
    ...marks.sources(range),
  };
}

const limitOf = (now, entry) => now.rules.find(each => each.domain === entry.domain && each.rule === entry.rule)?.limit;

/** The caller that is denied most, by which rule and since when, as a sentence. */
function mostDenied(now) {
  const [worst] = now.top_denied;
  if (!worst) return nothing;
  const limit = limitOf(now, worst);
  return html`<p class="worst"><span class="glyph ink-denied" aria-hidden="true">▲</span> ${key(worst)} is denied most: ${times(worst.rate)} by <a href=${route.rule(worst.domain, worst.rule)}>${name(worst.rule)}</a>${limit
    ? html`, which allows <b>${counts(limit)}</b>` : nothing}${known(worst.denied_since) ? html`; denied for ${since(worst.denied_since)}` : nothing}.</p>`;
}

const times = rate => (rate >= 1 ? `${often(rate)} a second` : `${often(rate * 60)} a minute`);
const often = number => (short(number) === '1' ? 'once' : `${short(number)} times`);

function state(now) {
  const [glyph, ink] = LEVELS[now.state.level] ?? LEVELS.warn;
  const more = now.state.problems.filter(each => each !== now.state.sentence);
  return html`<div class="sentence ${now.state.level}" role="status"><p><span class="glyph ink-${ink}" aria-hidden="true">${glyph}</span> ${now.state.sentence}</p>
    ${mostDenied(now)}
    ${more.length ? html`<ul>${more.map(each => html`<li>${each}</li>`)}</ul>` : nothing}</div>`;
}

function figure(label, text, values, ink, worse) {
  return html`<div class="figure"><dt>${label}</dt><dd class=${worse ? 'wrong' : ''}>${text}</dd>
    <dd class="spark"><weir-spark ink=${ink} .values=${values} title="The last 15 minutes"></weir-spark></dd></div>`;
}

function figures({ figures: told, series: whole }) {
  const series = trimmed(whole);
  const value = each => told[each]?.value;
  const all = ['allowed', 'denied'];
  const denied = column(series, 'denied');
  const decisions = column(series, 'allowed').map((each, index) => (each === null ? null : each + denied[index]));
  return html`<dl class="figures">
    ${figure('Decisions', perSecond(value('decisions')), decisions, 'allowed')}
    ${figure('Denied', share(value('denied')), ratio(series, 'denied', all), 'denied')}
    ${figure('p99', micros(value('p99')), column(series, 'p99'), 'p99')}
    ${figure('Degraded', share(value('degraded')), ratio(series, 'degraded', all), 'degraded', value('degraded') > 0)}
    ${figure('Shed', perSecond(value('shed')), column(series, 'shed'), 'shed', value('shed') > 0)}
  </dl>`;
}

/** Allowed against denied, each on its own axis; also for one rule. */
export function traffic(label, whole, restarts) {
  const series = trimmed(whole);
  return html`<weir-chart .data=${{
    label, from: series.from, step: series.step, marks: marks.of(restarts),
    panels: [
      { title: 'Allowed per second', format: short, weight: 1.3, least: 1, series: [{ name: 'allowed', ink: 'allowed', line: 'solid', fill: true, values: column(series, 'allowed') }] },
      { title: 'Denied per second', format: short, least: 1, series: [
        { name: 'denied', ink: 'denied', line: 'solid', fill: true, values: column(series, 'denied') },
        { name: 'in shadow', ink: 'shadow', line: 'dotted', values: column(series, 'shadow') },
        { name: 'degraded', ink: 'degraded', line: 'dashed', values: column(series, 'degraded') }] },
    ],
  }}></weir-chart>`;
}

/** The callers of a top list; `limit` gives the limit of an entry's rule, for a list over all rules. */
export function topKeys(keys, label, limit = null) {
  return table(label, ['Caller', ...(limit ? ['Denied by', ['Limit', 'wide']] : []), ['Times /s', 'number'], ['Share', 'number wide'], ['Denied for', 'number']], keys.map(each => html`<tr>
    <td>${key(each)}</td>${limit ? html`<td>${rule(each.domain, each.rule)}</td><td class="quiet wide">${counts(limit(each))}</td>` : nothing}
    <td class="number">${short(each.rate)}</td><td class="number wide">${share(each.share)}</td>
    <td class="number">${known(each.denied_since) ? since(each.denied_since) : html`<span class="quiet">–</span>`}</td></tr>`));
}

function ruleRows(rules) {
  return table('Rules by denial share', ['Rule', ['Limit', 'wide'], ['Denied', 'number'], ['Denied /s', 'number wide'], ['Allowed /s', 'number']], rules.map(each => html`<tr>
    <td>${rule(each.domain, each.rule, true)} ${modes(each)}</td><td class="quiet wide">${counts(each.limit)}</td><td class="number">${deniedShare(each)}</td><td class="number wide">${short(each.denied_rate)}</td>
    <td class="number">${short(each.allowed_rate)}</td></tr>`));
}

function switches(all) {
  if (all.length === 0) return nothing;
  return html`<section aria-labelledby="switched"><h2 id="switched">Switches in force</h2>${table('Switches in force', ['Rule', 'State', ['For', 'number'], 'By', 'Reason'], all.map(each => html`<tr>
    <td>${each.rule === 'all' && !each.domain ? html`<b>all rules</b>` : rule(each.domain, each.rule)}</td>
    <td><span class="badge switched">${each.state}${known(each.rollout) && each.rollout < 100 && each.rollout > 0 ? ` ${each.rollout} %` : ''}</span></td>
    <td class="number">${since(each.since)}</td><td>${name(each.by ?? '')}</td><td>${name(each.reason ?? '')}</td></tr>`))}</section>`;
}

export function view(params) {
  const now = data('now');
  const range = params.get('range') ?? '15m';
  if (!now) return html`<h1 class="hidden">Now</h1>${missing(source('now'))}`;
  const history = range === '15m' ? now : data('history');
  const quiet = isEmpty(now.series);
  const port = document.querySelector('meta[name=weir-http-port]').content;
  return html`<h1 class="hidden">Now</h1>
    ${state(now)}
    ${figures(now)}
    <div class="stage"><section aria-labelledby="traffic"><div class="head"><h2 id="traffic">Decisions of this server</h2>${ranges(range, each => route.changed({ range: each === '15m' ? '' : each }))}</div>
    ${quiet ? empty('No decisions in the last 15 minutes. Ask for one:', `curl -X POST localhost:${port}/v1/ratelimit/check -d '{"user_id":"u_42","endpoint":"/v1/charges"}'`) : nothing}
    ${history ? traffic('Allowed and denied', history.series, history.restarts) : missing(source('history'))}
    ${history && history !== now ? dropped(history.dropped) : nothing}</section>
    <div class="columns lists ${oneDomain([...now.rules, ...now.top_denied])}">
      <section aria-labelledby="callers"><h2 id="callers">Denied most, last minute</h2>
        ${now.top_denied.length ? topKeys(now.top_denied, 'Callers denied most', each => limitOf(now, each)) : empty('Nobody was denied in the last minute.')}</section>
      <section aria-labelledby="rules"><h2 id="rules">Rules by denial share, last minute</h2>
        ${now.rules.length ? ruleRows(now.rules) : empty('No rule has traffic. List the rules:', 'weir rules list')}</section>
    </div></div>
    ${switches(now.switches)}
    ${dropped(now.dropped)}
    <p class="quiet foot"><a href=${route.to('rules', { sort: 'denied' })}>All rules</a>. Server ${name(now.node)}, up for ${since(now.started)}.</p>`;
}
