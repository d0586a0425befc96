import { z } from 'zod'
import { LIMITS } from '../ground/limits.ts'

const OBJECTS = '/objects/uploads/'
const objectId = z.uuid()

/** Returns `/objects/uploads/{id}`. */
export const objectPath = (id: string): string => OBJECTS + id

/** Returns undefined for another address. Ignores host and query. */
export function objectIdOf(address: string): string | undefined {
  const base = 'http://any.host'
  if (!URL.canParse(address, base)) return undefined
  const { pathname } = new URL(address, base)
  return pathname.startsWith(OBJECTS) ? objectId.safeParse(pathname.slice(OBJECTS.length)).data : undefined
}

/** Returns the size by Padmé (https://petsymposium.org, PoPETs 2019.4), at least 4 KiB. The server refuses another size. */
export function paddedBytes(sealedBytes: number): number {
  const exponent = Math.floor(Math.log2(Math.max(sealedBytes, LIMITS.sealedFileMinBytes)))
  const step = 2 ** (exponent - Math.floor(Math.log2(exponent)) - 1)
  return Math.max(LIMITS.sealedFileMinBytes, Math.ceil(sealedBytes / step) * step)
}

/** The seal takes the last bytes [Note: A1]. */
export const CHUNK_BYTES = 64 * 1024
export const SEAL_BYTES = 16

/** Returns the sealed and padded size. */
export const storedBytesOf = (sizeBytes: number): number =>
  paddedBytes(sizeBytes + SEAL_BYTES * Math.max(1, Math.ceil(sizeBytes / (CHUNK_BYTES - SEAL_BYTES))))

/** Returns the largest stored size. */
export const sealedMaxBytes = (fileBytes: number): number => (fileBytes > 0 ? paddedBytes(fileBytes + LIMITS.sealingBytes) : 0)
