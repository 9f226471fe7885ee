import type { SignallingMessage, SipTraceItem } from '@jackfield/contract/console';
import type { AccountApi } from './account-api.ts';
import { openCaptureFile } from './capture-file.ts';
import type { CommandOption } from './command.ts';
import { interruption } from './interruption.ts';
import { wholeNumberTo } from './option-values.ts';
import { plain } from './print.ts';

export interface TraceFlags {
  readonly minutes: number;
  readonly pcap?: string;
  readonly json?: true;
}

export const traceOptions: readonly CommandOption[] = [
  {
    flags: '--minutes <number>',
    summary: 'ends by itself, at most 240',
    read: wholeNumberTo(240),
    default: 15,
  },
  { flags: '--pcap <file>', summary: 'writes a capture file at the end, for Wireshark' },
];

/** The server writes messages twice a second. */
const pauseMs = 500;

interface Page {
  readonly meta: { readonly after: number; readonly are_left_out: boolean; readonly is_on: boolean };
  readonly objects: readonly SignallingMessage[];
}

/** Begins a trace and prints its messages until its end, or until Ctrl-C, which ends it. */
export async function followTrace(
  api: AccountApi,
  of: { readonly call_uuid: string } | { readonly endpoint_id: string },
  { pcap, ...flags }: TraceFlags,
): Promise<void> {
  // Before the trace begins: a file that cannot be written would be reported minutes later.
  const file = pcap === undefined ? undefined : openCaptureFile(pcap);
  try {
    const path = await printTrace(api, of, flags);
    if (file !== undefined) file.finish(await api.download(`${path}Message/?format=pcap`));
  } catch (error) {
    file?.discard();
    throw error;
  }
}

/** Resolves with the path of the trace when it has ended. */
async function printTrace(
  api: AccountApi,
  of: { readonly call_uuid: string } | { readonly endpoint_id: string },
  { minutes, json }: Omit<TraceFlags, 'pcap'>,
): Promise<string> {
  const trace = await api.request<SipTraceItem>('POST', 'Trace/', { ...of, minutes });
  const path = `Trace/${trace.trace_id}/`;
  process.stderr.write(`trace ${trace.trace_id} is on until ${trace.ends_at}; Ctrl-C ends it\n`);
  const stop = interruption();
  let after = 0;
  let areLeftOut = false;
  for (let isOn = true; isOn; ) {
    await pause(stop);
    if (stop.aborted) await api.request('DELETE', path);
    let page: Page;
    do {
      page = await api.request<Page>('GET', `${path}Message/`, undefined, { after });
      for (const message of page.objects) write(message, json === true);
      after = page.meta.after;
    } while (page.objects.length > 0);
    isOn = page.meta.is_on;
    areLeftOut = page.meta.are_left_out;
  }
  if (areLeftOut) process.stderr.write('there were more messages than a trace keeps\n');
  return path;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, pauseMs);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

function write(message: SignallingMessage, asJson: boolean): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(message)}\n`);
    return;
  }
  const { at, direction, transport, remote_address: remote, message: text } = message;
  const way = direction === 'sent' ? '→' : '←';
  process.stdout.write(`${at} ${way} ${transport} ${remote}\n${shown(text)}\n\n`);
}

function shown(text: string): string {
  return text.split('\r\n').map(plain).join('\n').trimEnd();
}
