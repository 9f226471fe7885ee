import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesInUse } from '../acme/certificate-names.ts';
import { loadConfig } from '../config.ts';
import { examineDns } from './names.ts';

function configOf(env: Readonly<Record<string, string>>) {
  const loaded = loadConfig({ env: { ...env, JACKFIELD_SIP_DOMAINS: 'localhost' }, mode: 'production' });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config;
}

test('an IPv6 address in the public URL is an address, and no name for DNS or the certificate', async () => {
  for (const env of [
    { JACKFIELD_PUBLIC_URL: 'https://[2001:db8::5]', JACKFIELD_PUBLIC_ADDRESS: '2001:db8::5' },
    { JACKFIELD_PUBLIC_ADDRESS: '2001:db8::5', JACKFIELD_HTTP_HOST: '::' },
  ]) {
    const config = configOf({ ...env, JACKFIELD_SIP_HOST: '::' });
    const [finding, ...others] = await examineDns(config);
    assert.deepEqual([finding?.subject, finding?.outcome, others], ['DNS', 'warning', []]);
    assert.deepEqual(namesInUse(config), ['localhost', '2001:db8::5']);
  }
});
