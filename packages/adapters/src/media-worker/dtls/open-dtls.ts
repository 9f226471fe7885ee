import type { DtlsEndpoint, DtlsSession } from '@jackfield/media';
import type { Pointer } from '../openssl.ts';
import { createDtlsCertificate, type DtlsCertificate } from './dtls-certificate.ts';
import { type DtlsFunctions, loadDtlsFunctions } from './openssl-dtls.ts';
import { OpensslSession } from './openssl-session.ts';

const EVP_PKEY_EC = 408;
const DTLS_1_2 = 0xfefd;
const SET_MIN_VERSION = 123;
const SET_SESSION_CACHE = 44;
/** SSL_OP_NO_QUERY_MTU, SSL_OP_NO_TICKET, SSL_OP_CIPHER_SERVER_PREFERENCE, SSL_OP_NO_RENEGOTIATION. */
const OPTIONS = 2 ** 12 + 2 ** 14 + 2 ** 22 + 2 ** 30;
/** SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT. */
const DEMAND_CERTIFICATE = 3;

/** The suites of RFC 8827 §6.5, with forward secrecy, for the ECDSA certificate that we make. */
const ciphers = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305';

/** In the order of our preference. RFC 8827 §6.5 demands the first of every browser, so it is the most tested one. */
const srtpProfiles = 'SRTP_AES128_CM_SHA1_80:SRTP_AEAD_AES_128_GCM:SRTP_AEAD_AES_256_GCM';

/** Each flight of a handshake with oneself takes one step; a handshake takes four. */
const mostFlights = 12;

/**
 * DTLS by the OpenSSL of this process, with a new certificate. A handshake with itself first calls every function; where one of them does
 * not work, the result is a sentence with the reason.
 */
export async function openDtls(
  load = loadDtlsFunctions,
): Promise<{ readonly endpoint: DtlsEndpoint } | { readonly problem: string }> {
  const functions = await load();
  if (functions === undefined)
    return {
      problem:
        'OpenSSL cannot be called: neither Node nor the system exports it, or koffi has no build for this system',
    };
  let endpoint: DtlsEndpoint | undefined;
  try {
    endpoint = createEndpoint(functions, createDtlsCertificate(Date.now()));
    const problem = handshakeWithItself(endpoint);
    if (problem === undefined) return { endpoint };
    endpoint.close();
    return { problem };
  } catch (error) {
    endpoint?.close();
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function createEndpoint(functions: DtlsFunctions, own: DtlsCertificate): DtlsEndpoint {
  const sessions = new Set<OpensslSession>();
  // The fingerprint in SDP decides about a certificate (RFC 5763 §5), not its signature.
  const acceptAny = functions.register(() => 1);
  const context = createContext(functions, own, acceptAny);
  let isOpen = true;
  return {
    fingerprint: own.fingerprint,
    open(role) {
      if (!isOpen) throw new Error('DTLS is closed');
      const session: OpensslSession = new OpensslSession(functions, context, role, () =>
        sessions.delete(session),
      );
      sessions.add(session);
      return session;
    },
    get openCount() {
      return sessions.size;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      for (const session of [...sessions]) session.close();
      functions.contextFree(context);
      functions.unregister(acceptAny);
    },
  };
}

function createContext(functions: DtlsFunctions, own: DtlsCertificate, acceptAny: Pointer): Pointer {
  const context = functions.contextNew(functions.dtlsMethod());
  if (context === null) throw new Error('OpenSSL has no DTLS');
  const { certificate, key } = own;
  functions.setOptions(context, OPTIONS);
  functions.contextControl(context, SET_SESSION_CACHE, 0, null);
  functions.setVerify(context, DEMAND_CERTIFICATE, acceptAny);
  const isReady =
    functions.contextControl(context, SET_MIN_VERSION, DTLS_1_2, null) === 1 &&
    functions.useCertificate(context, certificate.length, certificate) === 1 &&
    functions.useKey(EVP_PKEY_EC, context, key, key.length) === 1 &&
    functions.setCiphers(context, ciphers) === 1 &&
    functions.setSrtp(context, srtpProfiles) === 0;
  if (isReady) return context;
  const reason = functions.reasonOf(functions.lastError()) ?? 'unknown';
  functions.clearErrors();
  functions.contextFree(context);
  throw new Error(`OpenSSL refused the settings of DTLS-SRTP: ${reason}`);
}

/** A whole handshake between two sessions of this machine; a sentence if it failed. */
function handshakeWithItself(endpoint: DtlsEndpoint): string | undefined {
  const client = endpoint.open('client');
  const server = endpoint.open('server');
  try {
    for (let flight = 0; flight < mostFlights; flight++) {
      pass(client, server);
      pass(server, client);
    }
    const [ours, theirs] = [server.keys(), client.keys()];
    if (ours === undefined || theirs === undefined) {
      return `the handshake with itself failed: ${server.problem ?? client.problem ?? server.state}`;
    }
    const isRight =
      server.fingerprint('sha-256') === endpoint.fingerprint &&
      client.fingerprint('sha-256') === endpoint.fingerprint &&
      String(ours.sendKey) === String(theirs.receiveKey) &&
      String(ours.receiveKey) === String(theirs.sendKey);
    return isRight ? undefined : 'the handshake with itself agreed on different keys';
  } finally {
    client.close();
    server.close();
  }
}

function pass(from: DtlsSession, to: DtlsSession): void {
  for (const datagram of from.take()) to.receive(datagram, datagram.length);
}
