import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CallbackBody, stringToSignV3 } from '@jackfield/contract';
import { signatureSteps } from './signature-steps.ts';

function callback(method: 'GET' | 'POST', url: string, body = ''): CallbackBody {
  const nonce = '12345';
  const form = Object.fromEntries(new URLSearchParams(body));
  return {
    method,
    request_url: url,
    body,
    headers: { 'X-Service-Signature-V3-Nonce': nonce, 'X-Service-Signature-V3': 'abc=' },
    signed_v3: stringToSignV3(method, url, nonce, form),
  } as unknown as CallbackBody;
}

describe('Steps of a signature', () => {
  it('a POST has its URL, its sorted query, its sorted fields and the nonce; together they are the signed text', () => {
    const steps = signatureSteps(callback('POST', 'https://example.com/a?z=1&b=2', 'To=2&From=1'))!;
    assert.deepEqual(
      [steps.base, steps.query, steps.fields, steps.nonce],
      ['https://example.com/a', '?b=2&z=1', 'From1To2', '.12345'],
    );
    assert.equal(steps.computed, `${steps.base}${steps.query}.${steps.fields}${steps.nonce}`);
    assert.ok(steps.isSame);
    assert.deepEqual(steps.sent, [['X-Service-Signature-V3', 'abc=']]);
  });

  it('a GET has all in its query, and a POST without a query has no dot before its fields', () => {
    const get = signatureSteps(callback('GET', 'https://example.com/a?b=2'))!;
    assert.deepEqual([get.query, get.fields, get.isSame], ['?b=2', '', true]);
    const post = signatureSteps(callback('POST', 'https://example.com/a', 'To=2'))!;
    assert.equal(post.computed, `${post.base}${post.query}${post.fields}${post.nonce}`);
  });

  it('a text that differs from the signed one is reported, and a callback that was not sent has no steps', () => {
    const changed = { ...callback('POST', 'https://example.com/a', 'To=2'), signed_v3: 'other' };
    assert.equal(signatureSteps(changed)?.isSame, false);
    assert.equal(signatureSteps({ ...changed, headers: {} }), undefined);
  });
});
