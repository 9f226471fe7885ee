import type { LibraryHandle } from 'koffi';
import type { Pointer } from '../openssl.ts';

/** The functions of libssl and libcrypto for DTLS with memory BIOs. Callers must check sizes; nothing here does. */
export interface DtlsFunctions {
  dtlsMethod(): Pointer;
  contextNew(method: Pointer): Pointer | null;
  contextFree(context: Pointer): void;
  contextControl(context: Pointer, command: number, argument: number, value: null): number;
  setOptions(context: Pointer, options: number): number;
  useCertificate(context: Pointer, length: number, der: Uint8Array): number;
  useKey(type: number, context: Pointer, der: Uint8Array, length: number): number;
  setCiphers(context: Pointer, list: string): number;
  /** 0 is success. */
  setSrtp(context: Pointer, profiles: string): number;
  setVerify(context: Pointer, mode: number, callback: Pointer): void;
  sessionNew(context: Pointer): Pointer | null;
  /** Frees its BIOs as well. */
  sessionFree(session: Pointer): void;
  setBios(session: Pointer, input: Pointer, output: Pointer): void;
  accept(session: Pointer): void;
  connect(session: Pointer): void;
  handshake(session: Pointer): number;
  read(session: Pointer, into: Uint8Array, length: number): number;
  errorOf(session: Pointer, result: number): number;
  control(session: Pointer, command: number, argument: number, value: Uint8Array | null): number;
  isFinished(session: Pointer): number;
  exportKeys(
    session: Pointer,
    out: Uint8Array,
    length: number,
    label: string,
    labelLength: number,
    context: null,
    contextLength: number,
    hasContext: number,
  ): number;
  /** A structure of name and number; null without a profile. */
  selectedSrtp(session: Pointer): Pointer | null;
  peerCertificate(session: Pointer): Pointer | null;
  certificateFree(certificate: Pointer): void;
  /** Returns the length; writes the certificate to the address in `out`, unless `out` is null. */
  certificateBytes(certificate: Pointer, out: BigUint64Array | null): number;
  memoryBio(): Pointer;
  bioNew(method: Pointer): Pointer | null;
  bioFree(bio: Pointer): number;
  bioWrite(bio: Pointer, bytes: Uint8Array, length: number): number;
  bioRead(bio: Pointer, into: Uint8Array, length: number): number;
  bioControl(bio: Pointer, command: number, argument: number, value: null): number;
  clearErrors(): void;
  lastError(): number;
  reasonOf(error: number): string | null;
  /** Registers a function that OpenSSL calls during our calls, until `unregister`. */
  register(callback: () => number): Pointer;
  unregister(callback: Pointer): void;
  /** Memory outside the heap until `free`. */
  borrow(bytes: number): { readonly pointer: Pointer; readonly view: Uint8Array; free(): void };
  /** The number in a structure of a name and a number. */
  numberOf(profile: Pointer): number;
}

/** Node's own executable exports its OpenSSL. A Node of a distribution has loaded the OpenSSL of the system instead. */
const libraries = [null, 'libssl.so.3', 'libssl.3.dylib'];

/** The functions through koffi; undefined where koffi or OpenSSL is missing. */
export async function loadDtlsFunctions(): Promise<DtlsFunctions | undefined> {
  try {
    const { default: koffi } = await import('koffi');
    const verify = koffi.pointer(koffi.proto('int', ['int', 'void *']));
    const memory = {
      register: (callback: () => number) => koffi.register(callback, verify),
      unregister: (callback: Pointer) => koffi.unregister(callback),
      borrow(bytes: number) {
        const pointer = koffi.alloc('uint8_t', bytes) as Pointer;
        return { pointer, view: new Uint8Array(koffi.view(pointer, bytes)), free: () => koffi.free(pointer) };
      },
      numberOf: (profile: Pointer) => new DataView(koffi.view(profile, 16)).getUint32(8, true),
    };
    for (const name of libraries) {
      try {
        return { ...functionsOf(koffi.load(name)), ...memory };
      } catch {
        // The next library may have them.
      }
    }
  } catch {
    // No koffi for this system.
  }
  return undefined;
}

type Memory = 'register' | 'unregister' | 'borrow' | 'numberOf';

function functionsOf(library: LibraryHandle): Omit<DtlsFunctions, Memory> {
  return {
    dtlsMethod: library.func('void *DTLS_method()'),
    contextNew: library.func('void *SSL_CTX_new(void *)'),
    contextFree: library.func('void SSL_CTX_free(void *)'),
    contextControl: library.func('long SSL_CTX_ctrl(void *, int, long, void *)'),
    setOptions: library.func('uint64_t SSL_CTX_set_options(void *, uint64_t)'),
    useCertificate: library.func('int SSL_CTX_use_certificate_ASN1(void *, int, void *)'),
    useKey: library.func('int SSL_CTX_use_PrivateKey_ASN1(int, void *, void *, long)'),
    setCiphers: library.func('int SSL_CTX_set_cipher_list(void *, str)'),
    setSrtp: library.func('int SSL_CTX_set_tlsext_use_srtp(void *, str)'),
    setVerify: library.func('void SSL_CTX_set_verify(void *, int, void *)'),
    sessionNew: library.func('void *SSL_new(void *)'),
    sessionFree: library.func('void SSL_free(void *)'),
    setBios: library.func('void SSL_set_bio(void *, void *, void *)'),
    accept: library.func('void SSL_set_accept_state(void *)'),
    connect: library.func('void SSL_set_connect_state(void *)'),
    handshake: library.func('int SSL_do_handshake(void *)'),
    read: library.func('int SSL_read(void *, void *, int)'),
    errorOf: library.func('int SSL_get_error(void *, int)'),
    control: library.func('long SSL_ctrl(void *, int, long, void *)'),
    isFinished: library.func('int SSL_is_init_finished(void *)'),
    exportKeys: library.func(
      'int SSL_export_keying_material(void *, void *, size_t, str, size_t, void *, size_t, int)',
    ),
    selectedSrtp: library.func('void *SSL_get_selected_srtp_profile(void *)'),
    peerCertificate: library.func('void *SSL_get1_peer_certificate(void *)'),
    certificateFree: library.func('void X509_free(void *)'),
    certificateBytes: library.func('int i2d_X509(void *, void *)'),
    memoryBio: library.func('void *BIO_s_mem()'),
    bioNew: library.func('void *BIO_new(void *)'),
    bioFree: library.func('int BIO_free(void *)'),
    bioWrite: library.func('int BIO_write(void *, void *, int)'),
    bioRead: library.func('int BIO_read(void *, void *, int)'),
    bioControl: library.func('long BIO_ctrl(void *, int, long, void *)'),
    clearErrors: library.func('void ERR_clear_error()'),
    lastError: library.func('unsigned long ERR_get_error()'),
    reasonOf: library.func('str ERR_reason_error_string(unsigned long)'),
  };
}
