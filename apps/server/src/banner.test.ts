import assert from 'node:assert/strict';
import { it } from 'node:test';
import { banner } from './banner.ts';

const facts = {
  http: { host: '127.0.0.1', port: 8080 },
  sip: { host: '127.0.0.1', port: 5060 },
  account: { authId: 'MA1', authToken: 'token' },
  domain: 'sip.localhost',
};

it('a banner that is no terminal’s names the file of the token, and never the token', () => {
  const text = banner({
    ...facts,
    account: { authId: 'MA1', authToken: 's3cret' },
    tokenFile: '/data/auth_token',
  });
  assert.doesNotMatch(text, /s3cret/);
  assert.match(text, /auth_token {2}in the file \/data\/auth_token/);
  assert.match(text, /AUTH=MA1:"\$\(cat '\/data\/auth_token'\)"/);
});

it('the banner names the addresses, and says who can reach them', () => {
  assert.match(banner(facts), /on this machine alone/);
  assert.match(banner(facts), /http:\/\/127\.0\.0\.1:8080\/v1\/Account\/MA1\//);
  const secure = banner({ ...facts, http: { ...facts.http, isHttps: true }, sips: { port: 5061 } });
  assert.match(
    secure,
    /https:\/\/127\.0\.0\.1:8080\/v1\/[\s\S]*5060 \(UDP and TCP\), 5061 \(TLS\)[\s\S]*wss:\/\/127\.0\.0\.1:8080\/sip/,
  );
  const open = banner({ ...facts, sip: { host: '2001:db8::1', port: 5060 } });
  assert.match(open, /open to the network/);
  assert.match(open, /\[2001:db8::1\]:5060/);
});
