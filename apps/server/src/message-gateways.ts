import { type GatewayAccess, type LinkedGateway, readGateways } from '@jackfield/platform';
import type { Clock, Logger } from '@jackfield/ports';
import { readOperatorFile, refuseFile } from './operator-file.ts';

/** The gateways of JACKFIELD_SMS with their links. The platform binds those that keep a connection. */
export interface OpenGateways {
  readonly linked: readonly LinkedGateway[];
  close(): void;
}

const variable = 'JACKFIELD_SMS';
/** A message that no SMSC accepts within this time goes to the next gateway. */
const sendMs = 10_000;

/** Reads JACKFIELD_SMS; throws a StartFailure with a sentence for each mistake. */
export async function openMessageGateways(
  path: string,
  deps: { clock: Clock; log: Logger },
): Promise<OpenGateways> {
  const text = readOperatorFile(variable, path);
  const read = readGateways(text);
  if (!read.ok) return refuseFile(variable, path, text, read.problems);
  const authorities = new Map(
    read.accesses.flatMap((access) =>
      access.protocol === 'smpp' && access.caFile !== undefined
        ? [[access.name, readOperatorFile(variable, access.caFile)] as const]
        : [],
    ),
  );
  const [{ createHttpSms }, { createSmppSms }] = await Promise.all([
    import('@jackfield/adapters/sms-http'),
    import('@jackfield/adapters/sms-smpp'),
  ]);
  const closes: (() => void)[] = [];

  function linkOf(access: GatewayAccess): Omit<LinkedGateway, 'gateway'> {
    if (access.protocol === 'http') {
      const { body, receipts, ...options } = access;
      const link = createHttpSms(
        {
          ...options,
          ...(body === undefined ? {} : { body }),
          ...(receipts === undefined ? {} : { receipts }),
        },
        deps,
      );
      return { link, takeReceipt: link.takeReceipt };
    }
    const { tls, caFile: _, ...options } = access;
    const ca = authorities.get(access.name);
    const link = createSmppSms(
      { ...options, sendMs, ...(tls ? { tls: ca === undefined ? {} : { ca } } : {}) },
      deps,
    );
    closes.push(link.close);
    return { link, session: link };
  }

  const accesses = new Map(read.accesses.map((access) => [access.name, access]));
  return {
    linked: read.gateways.map((gateway) => ({ gateway, ...linkOf(accesses.get(gateway.name)!) })),
    close() {
      for (const close of closes) close();
    },
  };
}
