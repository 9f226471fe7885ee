import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUpgradeSigner } from './sign-upgrade.ts';

test('an upgrade is signed for every form in which the server may see its URL, under each prefix', async () => {
  const sign = createUpgradeSigner({
    secrets: {
      sign: (key, text) => `${key}<${text.replace(/[.]\d{20}$/, '')}>`,
      randomBytes: (length) => new Uint8Array(length).fill(7),
    },
    authTokenOf: async (authId) => `token of ${authId}`,
    signaturePrefixes: ['X-Service-', 'X-Other-'],
  });
  const headers = await sign('wss://Bot.example:443?b=2&a=1', { account: 'SA1', mainAccount: 'MA1' });
  const forms = [
    'wss://Bot.example:443?a=1&b=2',
    'wss://bot.example/?a=1&b=2',
    'https://Bot.example:443?a=1&b=2',
    'https://bot.example/?a=1&b=2',
    'ws://Bot.example:443?a=1&b=2',
    'ws://bot.example/?a=1&b=2',
    'http://Bot.example:443?a=1&b=2',
    'http://bot.example/?a=1&b=2',
  ];
  for (const prefix of ['X-Service-', 'X-Other-']) {
    assert.match(headers?.[`${prefix}Signature-V3-Nonce`] ?? '', /^\d{20}$/);
    assert.deepEqual(
      headers?.[`${prefix}Signature-V3`]?.split(','),
      forms.map((form) => `token of SA1<${form}>`),
    );
    assert.deepEqual(
      headers?.[`${prefix}Signature-Ma-V3`]?.split(','),
      forms.map((form) => `token of MA1<${form}>`),
    );
  }
});
