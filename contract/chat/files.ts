import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { done, nothing } from '../ground/shapes.ts'

const objectId = z.uuid()

/** The server reads none of this: names and types are sealed inside the message. */
const described = {
  filename: z.string().max(255).optional(),
  type: z.string().max(255).optional(),
}
const uploadId = z.uuid()
const SIGN_NEEDS = 'Cannot sign without a key, an uploadId, and a partNumber'
const key = z.uuid(SIGN_NEEDS)
const partNumber = z.coerce.number(SIGN_NEEDS).int(SIGN_NEEDS).min(1, SIGN_NEEDS).max(LIMITS.uploadPartsMax, SIGN_NEEDS)
const etag = z.string().max(100)

/** A signed address, valid for 15 minutes: relative, `/objects/uploads/{id}?...`, or of the bucket. */
const url = z.string().max(1000)

/**
 * The answered addresses take sealed bytes by PUT. The plan must share files (403 `subscription_required`) and have space (403
 * `storage_limit_reached`). A message then names `filePath` (`objectPath`), `fileName` (the id), `fileSize` (the stored size) and
 * a `messageType` other than text; until then the owner alone reads the file, for 24 hours.
 */
export const uploaderApi = {
  params: endpoint({
    method: 'GET',
    path: '/s3/params',
    access: 'signed_in',
    rates: ['uploads'],
    summary:
      'Answers the signed address that takes the sealed bytes of one file by PUT, once, within 15 minutes. If their `size` is announced, it may be one of the bucket: `filesApi.finish` must follow it, and `otherwise` is the address here if the bucket is out of reach.',
    input: z.object({ ...described, size: z.coerce.number().int().min(1).max(LIMITS.sealedFileBytes).optional() }),
    output: z.object({
      method: z.literal('PUT'),
      url,
      fields: nothing,
      headers: nothing,
      /** The file's id. */
      key: z.uuid(),
      otherwise: url.optional(),
    }),
  }),
  begin: endpoint({
    method: 'POST',
    path: '/s3/multipart',
    access: 'signed_in',
    rates: ['uploads'],
    summary:
      'Begins an upload in parts. `key` is the id of the file, `url` the signed address that takes the first part, `urls` those of as many parts as the largest file has.',
    input: z.object(described),
    output: z.object({ key: z.uuid(), uploadId, url, urls: z.array(url).max(LIMITS.uploadPartsMax).optional() }),
  }),
  parts: endpoint({
    method: 'GET',
    path: '/s3/multipart/:uploadId',
    access: 'signed_in',
    summary: 'The parts that are stored so far, in their order.',
    input: z.object({ uploadId, key: z.uuid() }),
    output: z.array(z.object({ PartNumber: z.number().int(), Size: z.number().int(), ETag: etag })).max(LIMITS.uploadPartsMax),
  }),
  sign: endpoint({
    method: 'GET',
    path: '/s3/multipart/:uploadId/:partNumber',
    access: 'signed_in',
    rates: ['uploads'],
    summary: 'Answers the signed address that takes the bytes of one part by PUT. Sent again, a part is replaced.',
    input: z.object({ uploadId: z.uuid(SIGN_NEEDS), partNumber, key }),
    output: z.object({ url, expires: z.number().int() }),
  }),
  complete: endpoint({
    method: 'POST',
    path: '/s3/multipart/:uploadId/complete',
    access: 'signed_in',
    rates: ['uploads'],
    summary:
      'Makes one file of these parts. Each but the last has at least 5 MiB, through Tor 1 MiB. Sent again, it answers the same.',
    input: z.object({
      uploadId,
      key: z.uuid(),
      parts: z
        .array(z.object({ PartNumber: z.number().int().min(1).max(LIMITS.uploadPartsMax), ETag: etag }))
        .min(1)
        .max(LIMITS.uploadPartsMax),
    }),
    output: z.object({ location: url }),
  }),
  abort: endpoint({
    method: 'DELETE',
    path: '/s3/multipart/:uploadId',
    access: 'signed_in',
    rates: ['uploads'],
    summary: 'Ends an upload in parts and drops what is stored of it.',
    input: z.object({ uploadId, key: z.uuid() }),
    output: done,
  }),
}

export const filesApi = {
  upload: endpoint({
    method: 'POST',
    path: '/api/objects/upload',
    access: 'signed_in',
    rates: ['uploads'],
    summary: 'Answers the address that takes the bytes of one file by PUT, once, within 15 minutes and from this account alone.',
    input: nothing,
    output: z.object({ uploadURL: url }),
  }),
  put: endpoint({
    method: 'PUT',
    path: '/objects/uploads/:objectId',
    access: 'signed_in',
    rates: ['uploads'],
    summary:
      'Stores the bytes of a file, or of one part, at the signed address. Content-Length is required; ETag names the bytes.',
    input: z.object({
      objectId,
      expires: z.coerce.number().int().nonnegative().optional(),
      signature: z.string().max(100).optional(),
      uploadId: uploadId.optional(),
      partNumber: partNumber.optional(),
    }),
    output: done,
    body: 'stream',
    bodyLimitBytes: LIMITS.sealedFileBytes,
  }),
  finish: endpoint({
    method: 'POST',
    path: '/objects/uploads/:objectId',
    access: 'signed_in',
    rates: ['uploads'],
    summary:
      'Makes a file of the bytes that were sent to the bucket. They must have the announced size. Sent again, it answers the same, and so it does for any file that is whole.',
    input: z.object({ objectId }),
    output: done,
  }),
  get: endpoint({
    method: 'GET',
    path: '/objects/uploads/:objectId',
    access: 'signed_in',
    summary:
      'The bytes of a file, or one Range of them: for its owner, a profile photo for mutual contacts and administrators too, and what a message carries for whoever is given the message. `from=bucket` redirects to the bucket where browsers reach it.',
    input: z.object({ objectId, from: z.literal('bucket').optional() }),
    output: nothing,
    answer: 'bytes',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/objects/uploads/:objectId',
    access: 'signed_in',
    rates: ['uploads'],
    summary: 'Drops a sealed file of the caller that no message carries, such as one whose sending was cancelled.',
    input: z.object({ objectId }),
    output: done,
  }),
}
