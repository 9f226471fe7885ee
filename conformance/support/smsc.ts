import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { Happenings } from './lines.ts';

const program = join(import.meta.dirname, '../../packages/adapters/src/sms-smpp/testing/smsc-process.ts');

/** A report of the SMSC: see the program. */
export interface SmscNotice {
  readonly saw: string;
  readonly id?: string;
  readonly to?: string;
  readonly octets?: string;
  readonly port?: number;
}

/** A message centre in a process of its own: the server side of a published library. */
export class Smsc {
  readonly notices = new Happenings<SmscNotice>();
  readonly #child: ChildProcess;
  #port = 0;

  private constructor() {
    this.#child = fork(program, []);
    this.#child.on('message', (notice) => this.notices.add(notice as SmscNotice));
  }

  static async start(): Promise<Smsc> {
    const smsc = new Smsc();
    smsc.#port = (await smsc.saw('listening')).port ?? 0;
    return smsc;
  }

  get port(): number {
    return this.#port;
  }

  /** The notice of this kind, from the notice of this number on. */
  saw(what: string, from = 0): Promise<SmscNotice> {
    return this.notices.until(`the SMSC saw ${what}`, ({ saw }) => saw === what, { from });
  }

  /** Texts of the submitted messages, in order. */
  get texts(): readonly string[] {
    return this.notices.all
      .filter(({ saw }) => saw === 'submit')
      .map(({ octets = '' }) => Buffer.from(octets, 'base64').toString('latin1'));
  }

  instruct(order: object): void {
    this.#child.send(order);
  }

  /** A receipt as SMPP 3.4 appendix B writes it. */
  receipt(id: string, stat = 'DELIVRD', err = '000'): void {
    const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:${stat} err:${err} text:x`;
    this.instruct({ do: 'receipt', id, text });
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** The entry of JACKFIELD_SMS that leads to this message centre, for numbers of the United States. */
export function gatewayOf({ port }: Smsc) {
  return {
    name: 'smsc',
    protocol: 'smpp',
    host: '127.0.0.1',
    port,
    system_id: 'jackfield',
    password: 'secret',
    prefixes: [{ prefix: '1', price: '0.01' }],
    caps: { messages_per_second: 100, spend_per_hour: '5.00' },
  };
}
