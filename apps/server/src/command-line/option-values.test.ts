import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hostAndPort,
  httpUrl,
  portNumber,
  portsForOwnCall,
  webSocketUrl,
  wholeNumberTo,
} from './option-values.ts';

/** Readers of options, a value that each accepts, and some that it refuses. An empty text is a variable of the shell that was not set. */
const readers = [
  { read: portNumber, right: '0', wrong: ['', ' ', '65536', '-1', '0x50', '1e3', '80.5'] },
  { read: wholeNumberTo(100), right: '100', wrong: ['', '0', '101', '1.5', '0x10', 'few'] },
  {
    read: portsForOwnCall,
    right: '39900-39907',
    wrong: ['', '39900', '39900-39906', '39939-39900', '80-90'],
  },
  { read: hostAndPort, right: '[2001:db8::1]:3478', wrong: ['', 'host', 'host:', 'host:99999', 'me@host:1'] },
  {
    read: httpUrl,
    right: 'https://calls.example.com',
    wrong: ['', 'calls.example.com', 'ftp://x', 'http://me@x'],
  },
  { read: webSocketUrl, right: 'wss://me.example.com', wrong: ['', 'https://x', 'wss://x/path'] },
];

for (const { read, right, wrong } of readers) {
  test(`${read.name || 'a whole number'} accepts ${right}, and says of anything else what it must be`, () => {
    assert.notEqual(read(right), undefined);
    for (const text of wrong) assert.throws(() => read(text), /^InvalidArgumentError: It must be /, text);
  });
}
