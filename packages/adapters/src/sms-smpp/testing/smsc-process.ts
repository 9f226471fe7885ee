import smpp, { type Pdu, type Session } from 'smpp';

/** Orders of the test to this process. */
export type SmscOrder =
  | { readonly do: 'answer'; readonly statuses: readonly number[] }
  /** Accepts the next submit without a response and closes the connection. */
  | { readonly do: 'disconnect' }
  /** Leaves the next submit without a response. */
  | { readonly do: 'ignore' }
  | { readonly do: 'receipt'; readonly id: string; readonly text?: string; readonly state?: number };

export type SmscNotice =
  | { readonly saw: 'listening'; readonly port: number }
  | { readonly saw: 'bind' | 'enquire' | 'unbind' | 'receipt-taken' }
  | {
      readonly saw: 'submit';
      readonly id: string;
      readonly to: string;
      readonly fields: Readonly<Record<string, unknown>>;
      /** Base64. */
      readonly octets: string;
    };

const [certificate, key] = process.argv.slice(2);
const statuses: number[] = [];
let isDisconnecting = false;
let isIgnoring = false;
let submits = 0;
let live: Session | undefined;

const say = (notice: SmscNotice) => process.send?.(notice);

const server = smpp.createServer(certificate === undefined ? {} : { cert: certificate, key }, (session) => {
  live = session;
  session.on('error', () => {});
  session.on('bind_transceiver', (pdu: Pdu) => {
    const isKnown = pdu.system_id === 'jackfield' && pdu.password === 'secret';
    session.send(pdu.response({ command_status: isKnown ? 0 : 0x0e }));
    if (isKnown) say({ saw: 'bind' });
  });
  session.on('enquire_link', (pdu: Pdu) => {
    say({ saw: 'enquire' });
    session.send(pdu.response());
  });
  session.on('unbind', (pdu: Pdu) => {
    say({ saw: 'unbind' });
    session.send(pdu.response());
    session.close();
  });
  session.on('submit_sm', (pdu: Pdu) => submitted(session, pdu));
});

function submitted(session: Session, pdu: Pdu): void {
  const id = `id-${++submits}`;
  const message = pdu.short_message as { udh?: Buffer[]; message: string | Buffer };
  const { esm_class, data_coding, source_addr, source_addr_ton, registered_delivery } = pdu;
  const octets = Buffer.concat([
    ...(message.udh ?? []),
    Buffer.isBuffer(message.message)
      ? message.message
      : data_coding === 8
        ? Buffer.from(message.message, 'utf16le').swap16()
        : Buffer.from(message.message, 'utf8'),
  ]);
  say({
    saw: 'submit',
    id,
    to: String(pdu.destination_addr),
    fields: { esm_class, data_coding, source_addr, source_addr_ton, registered_delivery },
    octets: octets.toString('base64'),
  });
  if (isDisconnecting) {
    isDisconnecting = false;
    session.destroy();
    return;
  }
  if (isIgnoring) {
    isIgnoring = false;
    return;
  }
  const command_status = statuses.shift() ?? 0;
  session.send(pdu.response(command_status === 0 ? { message_id: id } : { command_status }));
}

process.on('message', (order: SmscOrder) => {
  switch (order.do) {
    case 'answer':
      statuses.push(...order.statuses);
      return;
    case 'disconnect':
      isDisconnecting = true;
      return;
    case 'ignore':
      isIgnoring = true;
      return;
    case 'receipt':
      live?.deliver_sm(
        {
          esm_class: 4,
          short_message: order.text ?? '',
          ...(order.state === undefined
            ? {}
            : { receipted_message_id: order.id, message_state: order.state }),
        },
        () => say({ saw: 'receipt-taken' }),
      );
  }
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1', () => {
  say({ saw: 'listening', port: (server.address() as { port: number }).port });
});
