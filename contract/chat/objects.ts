import { z } from 'zod'
import { LIMITS } from '../ground/limits.ts'

/** The path of an object ends with its id: `/objects/uploads/{id}`. */
const OBJECTS = '/objects/uploads/'
const objectId = z.uuid()

/** Returns the path of the object with this id. */
export const objectPath = (id: string): string => OBJECTS + id

/**
 * Returns the id of the object that this address leads to: its path, or the whole address with or without a query, as the upload
 * was answered. undefined if it leads to none. The host is not looked at.
 */
export function objectIdOf(address: string): string | undefined {
  const base = 'http://any.host'
  if (!URL.canParse(address, base)) return undefined
  const { pathname } = new URL(address, base)
  return pathname.startsWith(OBJECTS) ? objectId.safeParse(pathname.slice(OBJECTS.length)).data : undefined
}

/**
 * Returns the size that a sealed file of so many bytes is stored with: the next one by Padmé (https://petsymposium.org, PoPETs
 * 2019.4), at least 4 KiB. It adds an eighth at most, and 3% to what is large. The server refuses an attachment of another size.
 */
export function paddedBytes(sealedBytes: number): number {
  const exponent = Math.floor(Math.log2(Math.max(sealedBytes, LIMITS.sealedFileMinBytes)))
  const step = 2 ** (exponent - Math.floor(Math.log2(exponent)) - 1)
  return Math.max(LIMITS.sealedFileMinBytes, Math.ceil(sealedBytes / step) * step)
}

/** A file is sealed in chunks of this size, of which the seal takes the last bytes [Note: A1]. */
export const CHUNK_BYTES = 64 * 1024
export const SEAL_BYTES = 16

/** Returns the size with which a file of so many readable bytes is stored: sealed and padded. */
export const storedBytesOf = (sizeBytes: number): number =>
  paddedBytes(sizeBytes + SEAL_BYTES * Math.max(1, Math.ceil(sizeBytes / (CHUNK_BYTES - SEAL_BYTES))))

/**
 * Returns the largest stored size of a file of at most `fileBytes` readable bytes. Sealing adds `LIMITS.sealingBytes` at most before
 * the padding.
 */
export const sealedMaxBytes = (fileBytes: number): number => (fileBytes > 0 ? paddedBytes(fileBytes + LIMITS.sealingBytes) : 0)
