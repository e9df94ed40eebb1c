'use strict';

const UNITS = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const NAMES = { milliseconds: 'ms', seconds: 's', minutes: 'm', hours: 'h', days: 'd' };

// The milliseconds of a number, of a text such as '90s' or '1h30m', or of { days: 1, hours: 2 }.
exports.milliseconds = function milliseconds(duration) {
  let sum = NaN;
  if (typeof duration === 'number') {
    sum = duration;
  } else if (typeof duration === 'string' && /^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(duration)) {
    sum = 0;
    for (const [, count, unit] of duration.matchAll(/([\d.]+)(ms|s|m|h|d)/g)) {
      sum += Number(count) * UNITS[unit];
    }
  } else if (typeof duration === 'object' && duration !== null) {
    const parts = Object.entries(duration);
    sum = parts.length === 0 ? NaN : 0;
    for (const [name, count] of parts) sum += Number(count) * (UNITS[NAMES[name]] ?? NaN);
  }
  if (!(sum >= 0 && Number.isFinite(sum))) {
    throw new TypeError(
      `${JSON.stringify(duration)} is not a duration. Give milliseconds, a text such as '30d' or ` +
        `'1h30m', or an object such as { days: 1, hours: 12 }. Time does not go back.`,
    );
  }
  return sum;
};
