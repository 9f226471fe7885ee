import { callPath } from '@jackfield/contract';
import { fetchedDocuments, signallingBody, signallingQuery } from '@jackfield/contract/console';
import { type ApiRoute, type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { captureFileOf } from './keeping/pcap.ts';
import type { BlackBoxStore } from './store.ts';
import { capturedMessageOf, documentOf, signallingMessageOf } from './views.ts';

export interface RouteDeps {
  readonly store: BlackBoxStore;
  readonly areKept: boolean;
  readonly perCall: number;
  isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
}

export function callBlackBoxRoutes(deps: RouteDeps): RouteGroup {
  return { name: 'Calls', routes: [signallingOfCall(deps), documentsOfCall(deps)] };
}

async function knownCall(
  { isKnown }: RouteDeps,
  account: RequestAccount,
  written: string,
): Promise<Result<string>> {
  const call = written.toLowerCase();
  return (await isKnown(account, call)) ? accepted(call) : refused(notFound('call', written));
}

function signallingOfCall(deps: RouteDeps): ApiRoute {
  const { store, areKept, perCall } = deps;
  return route({
    method: 'GET',
    path: 'Call/:call_uuid/Signalling/',
    operation: 'Retrieve the SIP messages of a call',
    id: 'retrieveCallSignalling',
    description:
      'Without credentials, keys and digits; kept for seven days, where the operator keeps them (JACKFIELD_KEEP_SIGNALLING). In a capture file each message is one UDP datagram, and this server is 192.0.2.1 or 2001:db8::1.',
    schema: { params: callPath, query: signallingQuery, response: signallingBody },
    success: 200,
    async run({ account, params }) {
      const call = await knownCall(deps, account, params.call_uuid);
      if (!call.ok) return call;
      const [messages, leftOut] = await Promise.all([
        store.list(call.value, 'message', perCall),
        store.list(call.value, 'messages-left-out', 1),
      ]);
      return accepted({
        call_uuid: call.value,
        are_kept: areKept,
        are_left_out: leftOut.length > 0,
        objects: messages.map(signallingMessageOf),
      });
    },
    download: {
      contentType: 'application/vnd.tcpdump.pcap',
      isRequested: ({ format }) => format?.toLowerCase() === 'pcap',
      async run({ account, params }) {
        const call = await knownCall(deps, account, params.call_uuid);
        if (!call.ok) return call;
        const messages = await store.list(call.value, 'message', perCall);
        return accepted({
          fileName: `${call.value}.pcap`,
          bytes: captureFileOf(messages.map(capturedMessageOf)),
        });
      },
    },
  });
}

function documentsOfCall(deps: RouteDeps): ApiRoute {
  const { store, areKept, perCall } = deps;
  return route({
    method: 'GET',
    path: 'Call/:call_uuid/Document/',
    operation: 'List the documents of a call',
    id: 'listCallDocuments',
    description:
      'Every request for a document, redirections and repetitions included, oldest first; kept for seven days, where the operator keeps them (JACKFIELD_KEEP_SIGNALLING).',
    schema: { params: callPath, response: fetchedDocuments },
    success: 200,
    async run({ account, params }) {
      const call = await knownCall(deps, account, params.call_uuid);
      if (!call.ok) return call;
      const [documents, leftOut] = await Promise.all([
        store.list(call.value, 'document', perCall),
        store.list(call.value, 'documents-left-out', 1),
      ]);
      return accepted({
        call_uuid: call.value,
        are_kept: areKept,
        are_left_out: leftOut.length > 0,
        objects: documents.map(documentOf),
      });
    },
  });
}
