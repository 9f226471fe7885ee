import type { LibraryHandle } from 'koffi';

/** Memory of OpenSSL or for it, by address; never null. */
export type Pointer = bigint;

/** The functions of libcrypto that SRTP needs, as calls into C. Callers must check sizes; nothing here does. */
export interface CryptoFunctions {
  cipherNew(): Pointer | null;
  cipherFree(context: Pointer): void;
  cipherInit(
    context: Pointer,
    cipher: Pointer | null,
    engine: null,
    key: Uint8Array | null,
    iv: Uint8Array | null,
    encrypts: number,
  ): number;
  cipherSetPadding(context: Pointer, isPadded: number): number;
  cipherUpdate(
    context: Pointer,
    out: Pointer | null,
    written: Pointer,
    bytes: Uint8Array | Pointer,
    length: number,
  ): number;
  cipherFinal(context: Pointer, out: Pointer, written: Pointer): number;
  cipherControl(context: Pointer, type: number, argument: number, bytes: Pointer): number;
  aes128Ecb(): Pointer;
  aes256Ecb(): Pointer;
  aes128Gcm(): Pointer;
  aes256Gcm(): Pointer;
  hmacNew(): Pointer | null;
  hmacFree(context: Pointer): void;
  hmacInit(
    context: Pointer,
    key: Uint8Array | null,
    length: number,
    digest: Pointer | null,
    engine: null,
  ): number;
  hmacUpdate(context: Pointer, bytes: Uint8Array, length: number): number;
  hmacFinal(context: Pointer, out: Pointer, written: null): number;
  sha1(): Pointer;
  /** Memory outside the heap with a fixed address, which lives as long as the thread. */
  allocate(bytes: number): { readonly pointer: Pointer; readonly view: Uint8Array };
}

/** Node's own executable exports its OpenSSL. A Node of a distribution has loaded the OpenSSL of the system instead. */
const libraries = [null, 'libcrypto.so.3', 'libcrypto.3.dylib'];

/** The functions through koffi; undefined where koffi or OpenSSL is missing. */
export async function loadCryptoFunctions(): Promise<CryptoFunctions | undefined> {
  try {
    const { default: koffi } = await import('koffi');
    for (const name of libraries) {
      try {
        return functionsOf(koffi.load(name), (bytes) => {
          const pointer = koffi.alloc('uint8_t', bytes) as Pointer;
          return { pointer, view: new Uint8Array(koffi.view(pointer, bytes)) };
        });
      } catch {
        // The next library may have them.
      }
    }
  } catch {
    // No koffi for this system.
  }
  return undefined;
}

function functionsOf(library: LibraryHandle, allocate: CryptoFunctions['allocate']): CryptoFunctions {
  return {
    cipherNew: library.func('void *EVP_CIPHER_CTX_new()'),
    cipherFree: library.func('void EVP_CIPHER_CTX_free(void *)'),
    cipherInit: library.func('int EVP_CipherInit_ex(void *, void *, void *, void *, void *, int)'),
    cipherSetPadding: library.func('int EVP_CIPHER_CTX_set_padding(void *, int)'),
    cipherUpdate: library.func('int EVP_CipherUpdate(void *, void *, void *, void *, int)'),
    cipherFinal: library.func('int EVP_CipherFinal_ex(void *, void *, void *)'),
    cipherControl: library.func('int EVP_CIPHER_CTX_ctrl(void *, int, int, void *)'),
    aes128Ecb: library.func('void *EVP_aes_128_ecb()'),
    aes256Ecb: library.func('void *EVP_aes_256_ecb()'),
    aes128Gcm: library.func('void *EVP_aes_128_gcm()'),
    aes256Gcm: library.func('void *EVP_aes_256_gcm()'),
    hmacNew: library.func('void *HMAC_CTX_new()'),
    hmacFree: library.func('void HMAC_CTX_free(void *)'),
    hmacInit: library.func('int HMAC_Init_ex(void *, void *, int, void *, void *)'),
    hmacUpdate: library.func('int HMAC_Update(void *, void *, size_t)'),
    hmacFinal: library.func('int HMAC_Final(void *, void *, void *)'),
    sha1: library.func('void *EVP_sha1()'),
    allocate,
  };
}
