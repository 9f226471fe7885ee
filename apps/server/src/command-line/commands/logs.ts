import { apiCommand } from '../api-command.ts';
import type { ShownEvent } from '../followed-events.ts';
import { interruption } from '../interruption.ts';
import { wholeNumberTo } from '../option-values.ts';
import { plain } from '../print.ts';

interface Flags {
  readonly follow?: true;
  readonly type?: string;
  readonly resource?: string;
  readonly limit: number;
}

export const logs = apiCommand<Flags>({
  name: 'logs',
  summary: 'prints events of the account, one a line, the newest last',
  options: [
    { flags: '-f, --follow', summary: 'goes on with each event as it happens, until Ctrl-C' },
    { flags: '--type <type>', summary: 'a type such as call.answered, or a family such as call' },
    { flags: '--resource <path>', summary: 'one object, such as call/<call_uuid>' },
    {
      flags: '--limit <number>',
      summary: 'earlier events at most, up to 100',
      read: wholeNumberTo(100),
      default: 20,
    },
  ],
  async run(api, _, { follow, type, resource, limit, json }) {
    const write = (event: ShownEvent) =>
      void process.stdout.write(`${json ? JSON.stringify(event) : lineOf(event)}\n`);
    const filter = { type, resource };
    const page = await api.request<{
      readonly meta: { readonly after: string };
      readonly objects: readonly ShownEvent[];
    }>('GET', 'Event/', undefined, { ...filter, limit });
    for (const event of page.objects) write(event);
    if (!follow) return;
    const end = interruption();
    for await (const event of api.follow({ ...filter, after: page.meta.after }, end)) write(event);
  },
});

/** The fields of the event that people look for first. */
const shownFields = [
  'From',
  'To',
  'CallStatus',
  'HangupCauseName',
  'Duration',
  'MPCName',
  'username',
  'source',
  'url',
  'status',
];

function lineOf({ created_at, type, resource, data }: ShownEvent): string {
  const fields = shownFields.filter((name) => data[name] !== undefined && data[name] !== '');
  const shown = fields.map((name) => `${name}=${plain(data[name])}`).join(' ');
  return `${created_at}  ${type.padEnd(24)}  ${plain(resource)}  ${shown}`.trimEnd();
}
