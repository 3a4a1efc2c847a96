// Points in time, as the server sends them: {from, step, columns, points}; a point is null where there is no data.

/** Puts newer points behind the older ones, and keeps the last `most`. */
export function merge(old, more, most) {
  if (!old || !more || old.step !== more.step || more.from < old.from) return more ?? old;
  const at = Math.round((more.from - old.from) / more.step);
  const points = old.points.slice(0, at);
  while (points.length < at) points.push(null);
  points.push(...more.points);
  const cut = Math.max(0, points.length - most);
  return { ...more, from: old.from + cut * old.step, points: points.slice(cut) };
}

/** One column. Counts become rates per second; a latency that was not measured becomes null. */
export function column(series, name) {
  const index = series.columns.indexOf(name);
  if (index < 0) return [];
  const latency = name.startsWith('p');
  return series.points.map(point => {
    if (point === null || point[index] === null) return null;
    if (latency) return point[index] < 0 ? null : point[index];
    return point[index] / series.step;
  });
}

/** The coarsest steps that a chart of latencies may have, as multiples of the step of the series. */
const COARSER = [1, 5, 10, 30, 60];
const FEWEST_STEPS = 6;

/**
 * A series of latencies with steps so long that most of them have a value: of few requests a second, many seconds have none
 * that was timed. A step has the median of its p50 and the greatest p99.
 */
export function timed(series) {
  const [p50, p99] = ['p50', 'p99'].map(each => series.columns.indexOf(each));
  const grouped = times => {
    const long = series.step * times;
    const first = Math.floor(series.from / long);
    const groups = [];
    series.points.forEach((point, index) => {
      const at = Math.floor((series.from + index * series.step) / long) - first;
      groups[at] ??= null;
      if (point !== null && point[p99] >= 0) (groups[at] ??= []).push(point);
    });
    return { from: first * long, step: long, columns: ['p50', 'p99'], points: groups.map(group => group && [
      group.map(each => each[p50]).sort((a, b) => a - b)[group.length >> 1], Math.max(...group.map(each => each[p99]))]) };
  };
  const isFull = ({ points }) => {
    const begun = points.slice(Math.max(0, points.findIndex(each => each !== null)));
    return begun.filter(each => each !== null).length >= 0.8 * begun.length;
  };
  let out = null;
  for (const times of COARSER) {
    if (out && series.points.length < times * FEWEST_STEPS) break;
    out = grouped(times);
    if (isFull(out)) break;
  }
  return out;
}

/** A column as a share of the sum of others. */
export function ratio(series, name, of) {
  const index = series.columns.indexOf(name);
  const all = of.map(each => series.columns.indexOf(each));
  return series.points.map(point => {
    if (point === null) return null;
    const sum = all.reduce((total, each) => total + point[each], 0);
    return sum === 0 ? null : point[index] / sum;
  });
}

export const isEmpty = series => !series || series.points.every(point => point === null || point.every(value => value <= 0));

/** Merges the answers of a call that has a `series`, so that a poll need only bring what is new. */
export const merging = most => (old, more) => ({ ...more, series: merge(old.series, more.series, most) });

/** Without the empty start of a server that has just begun, so that its first minute fills the chart. */
export function trimmed(series, least = 60) {
  const first = series.points.findIndex(point => point !== null);
  const cut = Math.min(first < 0 ? 0 : first, series.points.length - least);
  return cut <= 0 ? series : { ...series, from: series.from + cut * series.step, points: series.points.slice(cut) };
}
