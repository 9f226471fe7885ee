import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  explainDirectory,
  explained,
  explainListening,
  explainPostgres,
  StartFailure,
} from './start-failure.ts';

const fault = (code: string, message = 'said by the system') => Object.assign(new Error(message), { code });
const listening = explainListening(
  { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_SIP_PORT' },
  { host: '127.0.0.1', port: 80 },
);

it('a fault of the operator is reported in a sentence that begins with the variable', () => {
  for (const [explain, error, sentence] of [
    [listening, fault('EADDRINUSE'), /^JACKFIELD_SIP_PORT: port 80 of 127\.0\.0\.1 is in use/],
    [listening, fault('EACCES'), /^JACKFIELD_SIP_PORT: this user may not listen on port 80/],
    [listening, fault('EADDRNOTAVAIL'), /^JACKFIELD_SIP_HOST: 127\.0\.0\.1 is no address of this machine/],
    [listening, fault('ENOTFOUND'), /^JACKFIELD_SIP_HOST: the name/],
    [explainDirectory('/data'), fault('EACCES'), /^JACKFIELD_DATA_DIR: this user may not write to \/data/],
    [
      explainDirectory('/data'),
      fault('data-locked', 'in use by process 7'),
      /^JACKFIELD_DATA_DIR: in use by process 7/,
    ],
    [
      explainPostgres,
      Object.assign(fault('database-unavailable', 'no connection'), { cause: fault('ECONNREFUSED', '') }),
      /^JACKFIELD_DATABASE_URL: no connection \(ECONNREFUSED\)$/,
    ],
    [
      explainPostgres,
      fault('53100', 'could not extend file'),
      /^JACKFIELD_DATABASE_URL: the disk of PostgreSQL is full \(could not extend file\)$/,
    ],
  ] as const) {
    assert.match(explain(error) ?? '', sentence);
  }
});

it('an unexpected error keeps its type and stack', async () => {
  const bug = new TypeError('x is not a function');
  await assert.rejects(
    explained(listening, () => Promise.reject(bug)),
    bug,
  );
  await assert.rejects(
    explained(listening, () => Promise.reject(fault('EADDRINUSE'))),
    StartFailure,
  );
});
