import {
  type AesBlocks,
  type AesGcm,
  type HmacSha1,
  type SrtpCiphers,
  srtpPacketBytes,
} from '@jackfield/media';
import { nodeCiphers } from '@jackfield/media/io';
import { type CryptoFunctions, loadCryptoFunctions, type Pointer } from './openssl.ts';

const ENCRYPT = 1;
const DECRYPT = 0;
/** EVP_CTRL_AEAD_GET_TAG, EVP_CTRL_AEAD_SET_TAG. */
const GET_TAG = 0x10;
const SET_TAG = 0x11;
const BLOCK_BYTES = 16;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const DIGEST_BYTES = 20;
/** Key stream for the longest packet, and room for one block more, which OpenSSL may write. */
const SCRATCH_BYTES = srtpPacketBytes + 2 * BLOCK_BYTES;

/** OpenSSL's memory for results: one for all ciphers of a thread, because each call uses its result at once. */
interface Scratch {
  readonly functions: CryptoFunctions;
  readonly out: Pointer;
  readonly view: Uint8Array;
  readonly tag: Pointer;
  readonly tagView: Uint8Array;
  readonly written: Pointer;
  open: number;
}

/**
 * The ciphers of SRTP as direct calls into OpenSSL, which cost a fraction of node:crypto, because they create no object for a packet.
 * Undefined where OpenSSL cannot be called, or where its results differ from those of node:crypto.
 */
export async function openNativeCiphers(): Promise<SrtpCiphers | undefined> {
  const functions = await loadCryptoFunctions();
  if (functions === undefined) return undefined;
  const results = functions.allocate(SCRATCH_BYTES);
  const tag = functions.allocate(DIGEST_BYTES);
  const scratch: Scratch = {
    functions,
    out: results.pointer,
    view: results.view,
    tag: tag.pointer,
    tagView: tag.view,
    written: functions.allocate(8).pointer,
    open: 0,
  };
  const ciphers: SrtpCiphers = {
    get openCount() {
      return scratch.open;
    },
    aes: (key) => new NativeBlocks(scratch, key),
    hmacSha1: (key) => new NativeHmac(scratch, key),
    aesGcm: (key) => new NativeGcm(scratch, key),
  };
  return isSameAs(ciphers, nodeCiphers) ? ciphers : undefined;
}

/** One context of OpenSSL; freed once. */
class Context {
  protected readonly scratch: Scratch;
  readonly #free: (context: Pointer) => void;
  #pointer: Pointer | undefined;

  constructor(scratch: Scratch, pointer: Pointer | null, free: (context: Pointer) => void) {
    if (pointer === null) throw new Error('OpenSSL has no memory for a cipher');
    this.scratch = scratch;
    this.#pointer = pointer;
    this.#free = free;
    scratch.open++;
  }

  protected get pointer(): Pointer {
    if (this.#pointer === undefined) throw new Error('the cipher is closed');
    return this.#pointer;
  }

  close(): void {
    if (this.#pointer === undefined) return;
    this.#free(this.#pointer);
    this.#pointer = undefined;
    this.scratch.open--;
  }

  /** Checks a result of OpenSSL. */
  protected must(result: number): void {
    if (result > 0) return;
    throw new Error('OpenSSL refused a cipher');
  }
}

class NativeBlocks extends Context implements AesBlocks {
  constructor(scratch: Scratch, key: Uint8Array) {
    const { functions } = scratch;
    super(scratch, functions.cipherNew(), functions.cipherFree);
    const cipher = is256(key) ? functions.aes256Ecb() : functions.aes128Ecb();
    this.must(functions.cipherInit(this.pointer, cipher, null, key, null, ENCRYPT));
    this.must(functions.cipherSetPadding(this.pointer, 0));
  }

  encrypt(blocks: Uint8Array, length: number): Uint8Array {
    if (length % BLOCK_BYTES !== 0 || length > Math.min(blocks.length, srtpPacketBytes)) {
      throw new RangeError(
        `${length} bytes of ${blocks.length} cannot be encrypted: whole blocks up to ${srtpPacketBytes} bytes are allowed`,
      );
    }
    const { functions, out, written, view } = this.scratch;
    this.must(functions.cipherUpdate(this.pointer, out, written, blocks, length));
    return view;
  }
}

class NativeHmac extends Context implements HmacSha1 {
  constructor(scratch: Scratch, key: Uint8Array) {
    const { functions } = scratch;
    super(scratch, functions.hmacNew(), functions.hmacFree);
    this.must(functions.hmacInit(this.pointer, key, key.length, functions.sha1(), null));
  }

  sign(message: Uint8Array, length: number): Uint8Array {
    requireWithin(message, 0, length, 0);
    const { functions, tag, tagView } = this.scratch;
    const { pointer } = this;
    // Without a key it restarts under the last key.
    this.must(functions.hmacInit(pointer, null, 0, null, null));
    this.must(functions.hmacUpdate(pointer, message, length));
    this.must(functions.hmacFinal(pointer, tag, null));
    return tagView;
  }
}

class NativeGcm extends Context implements AesGcm {
  constructor(scratch: Scratch, key: Uint8Array) {
    const { functions } = scratch;
    super(scratch, functions.cipherNew(), functions.cipherFree);
    const cipher = is256(key) ? functions.aes256Gcm() : functions.aes128Gcm();
    this.must(functions.cipherInit(this.pointer, cipher, null, key, null, ENCRYPT));
  }

  seal(
    nonce: Uint8Array,
    header: Uint8Array,
    headerLength: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    requireWithin(bytes, start, end, TAG_BYTES);
    const { functions, tag, tagView, written, out } = this.scratch;
    this.#begin(ENCRYPT, nonce, header, headerLength);
    this.#update(bytes, start, end);
    this.must(functions.cipherFinal(this.pointer, out, written));
    this.must(functions.cipherControl(this.pointer, GET_TAG, TAG_BYTES, tag));
    for (let i = 0; i < TAG_BYTES; i++) bytes[end + i] = tagView[i]!;
  }

  open(
    nonce: Uint8Array,
    header: Uint8Array,
    headerLength: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    requireWithin(bytes, start, end, TAG_BYTES);
    const { functions, tag, tagView, written, out } = this.scratch;
    this.#begin(DECRYPT, nonce, header, headerLength);
    this.#update(bytes, start, end);
    for (let i = 0; i < TAG_BYTES; i++) tagView[i] = bytes[end + i]!;
    this.must(functions.cipherControl(this.pointer, SET_TAG, TAG_BYTES, tag));
    // OpenSSL compares the tag in constant time.
    return functions.cipherFinal(this.pointer, out, written) > 0;
  }

  #begin(
    direction: typeof ENCRYPT | typeof DECRYPT,
    nonce: Uint8Array,
    header: Uint8Array,
    length: number,
  ): void {
    requireWithin(header, 0, length, 0);
    if (nonce.length !== NONCE_BYTES)
      throw new RangeError(`the nonce has ${nonce.length} bytes: it needs ${NONCE_BYTES}`);
    const { functions, written } = this.scratch;
    this.must(functions.cipherInit(this.pointer, null, null, null, nonce, direction));
    this.must(functions.cipherUpdate(this.pointer, null, written, header, length));
  }

  /** Copies through the scratch memory: a pointer into the middle of an array would need a new view for each packet. */
  #update(bytes: Uint8Array, start: number, end: number): void {
    const { functions, out, view, written } = this.scratch;
    const length = end - start;
    for (let i = 0; i < length; i++) view[i] = bytes[start + i]!;
    this.must(functions.cipherUpdate(this.pointer, out, written, out, length));
    for (let i = 0; i < length; i++) bytes[start + i] = view[i]!;
  }
}

function is256(key: Uint8Array): boolean {
  if (key.length !== 16 && key.length !== 32)
    throw new RangeError(`the AES key has ${key.length} bytes: 16 or 32 are allowed`);
  return key.length === 32;
}

function requireWithin(bytes: Uint8Array, start: number, end: number, behind: number): void {
  const room = Math.min(bytes.length, srtpPacketBytes);
  if (start >= 0 && start <= end && end + behind <= room) return;
  throw new RangeError(
    `${start} to ${end} and ${behind} bytes after it are outside a packet of ${room} bytes`,
  );
}

/** Compares one result of each kind: a library with other results is not used. */
function isSameAs(tested: SrtpCiphers, reference: SrtpCiphers): boolean {
  const results = [tested, reference].map((ciphers) => {
    const packet = Uint8Array.from({ length: 100 }, (_, n) => n * 7);
    const kinds = [
      ciphers.aes(packet.slice(0, 16)),
      ciphers.hmacSha1(packet.slice(0, 20)),
      ciphers.aesGcm(packet.slice(0, 32)),
    ] as const;
    const [aes, hmac, gcm] = kinds;
    try {
      const stream = Array.from(aes.encrypt(packet, 96).subarray(0, 96));
      const tag = Array.from(hmac.sign(packet, 77).subarray(0, 20));
      gcm.seal(packet.slice(0, NONCE_BYTES), packet, 12, packet, 12, 80);
      const sealed = packet.join();
      const isOpened = gcm.open(
        Uint8Array.from({ length: NONCE_BYTES }, (_, n) => n * 7),
        packet,
        12,
        packet,
        12,
        80,
      );
      return `${stream} ${tag} ${sealed} ${isOpened} ${packet.subarray(0, 80).join()}`;
    } catch {
      return undefined;
    } finally {
      for (const each of kinds) each.close();
    }
  });
  return results[0] !== undefined && results[0] === results[1];
}
