import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { LIMITS } from './limits.ts'
import { done, nothing } from './shapes.ts'

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

export const filesApi = {
  upload: endpoint({
    method: 'POST',
    path: '/api/objects/upload',
    access: 'signed_in',
    rates: ['uploads'],
    summary: 'Answers the address that takes the bytes of one file by PUT, once, within 15 minutes and from this account alone.',
    input: nothing,
    output: z.object({ uploadURL: z.string().max(200) }),
  }),
  put: endpoint({
    method: 'PUT',
    path: '/objects/uploads/:objectId',
    access: 'signed_in',
    rates: ['uploads'],
    summary: 'Stores the bytes of a file at the address that an upload was answered. Content-Length is required.',
    input: z.object({ objectId }),
    output: done,
    body: 'stream',
    bodyLimitBytes: LIMITS.photoBytes,
  }),
  get: endpoint({
    method: 'GET',
    path: '/objects/uploads/:objectId',
    access: 'signed_in',
    summary: 'The bytes of a file: for its owner, and a profile photo for the owner’s mutual contacts too.',
    input: z.object({ objectId }),
    output: nothing,
    answer: 'bytes',
  }),
}
