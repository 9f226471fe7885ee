import type { Command } from '../command.ts';
import { hostAndPort, portsForOwnCall } from '../option-values.ts';
import { printJson } from '../print.ts';

interface Flags {
  readonly sandbox?: true;
  readonly ntp: string;
  readonly stun?: string;
  readonly ports: string;
  readonly call: boolean;
  readonly json?: true;
}

const marks = { sound: 'ok     ', warning: 'WARNING', fault: 'FAULT  ', unknown: 'unknown' } as const;

export const doctor: Command = {
  name: 'doctor',
  summary:
    'examines this machine and the configuration, and makes a call to itself; ends with 1 after a fault',
  options: [
    { flags: '--sandbox', summary: 'with the configuration of jackfield dev instead of start' },
    {
      flags: '--ntp <host>',
      summary: 'the server with which the clock is compared',
      default: 'pool.ntp.org',
    },
    {
      flags: '--stun <host:port>',
      summary: 'a STUN server that says which address the Internet sees',
      read: hostAndPort,
    },
    {
      flags: '--ports <range>',
      summary: 'ports for the audio of the call to itself',
      read: portsForOwnCall,
      default: '39900-39939',
    },
    { flags: '--no-call', summary: 'leaves out the call to itself' },
    { flags: '--json', summary: 'prints JSON, for programs' },
  ],
  async run(_, { sandbox, ntp, stun, ports, call, json }: Flags) {
    const { loadSettings } = await import('../../load-settings.ts');
    const { examine } = await import('../../doctor/examine.ts');
    const loaded = loadSettings(sandbox ? 'dev' : 'production');
    const findings = [];
    const asked = { ...(stun ? { stun } : {}), ...(call ? { ownCallPorts: ports } : {}) };
    for await (const finding of examine({ loaded, ntp, ...asked })) {
      findings.push(finding);
      const { subject, outcome, sentence } = finding;
      if (!json) process.stdout.write(`${marks[outcome]}  ${subject}: ${sentence}\n`);
    }
    if (json) printJson(findings);
    if (findings.some(({ outcome }) => outcome === 'fault')) process.exitCode = 1;
  },
};
