// Signature Version 4, written out so that tests can sign requests no SDK would send, and sign
// them wrongly on purpose.

import { createHash, createHmac } from 'node:crypto';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

export function amzDate(date = new Date()) {
  return date.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

// Answers the headers with X-Amz-Date, the session token and Authorization added. The signature
// covers all headers but those in `unsigned`.
export function sign({
  host,
  headers,
  body,
  credentials,
  region,
  service = 'dynamodb',
  date,
  unsigned = [],
}) {
  const stamp = amzDate(date);
  const all = { ...headers, host, 'x-amz-date': stamp };
  if (credentials.sessionToken) all['x-amz-security-token'] = credentials.sessionToken;
  const names = Object.keys(all)
    .map((name) => name.toLowerCase())
    .filter((name) => !unsigned.includes(name))
    .sort();
  const lower = Object.fromEntries(Object.entries(all).map(([k, v]) => [k.toLowerCase(), v]));
  const lines = names.map((name) => `${name}:${String(lower[name]).trim().replace(/ +/g, ' ')}\n`);
  const signed = names.join(';');
  const canonical = ['POST', '/', '', lines.join(''), signed, sha256(body)].join('\n');
  const day = stamp.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = hmac(key, toSign).toString('hex');
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, ` +
    `SignedHeaders=${signed}, Signature=${signature}`;
  return { ...all, authorization };
}
