import { filesApi, uploaderApi } from '../contract/chat/files.ts'
import { objectIdOf } from '../contract/chat/objects.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { pictureBytes } from '../server/testing/picture.ts'
import { pathOf, puts, sealedBytes, uploadsFile } from '../server/testing/sealed.ts'
import type { Request, Scene } from './scene.ts'

const begin = async ({ alice }: Scene) => (await alice.does(filesApi.upload, {})).uploadURL

/** Uploads the largest photo. */
async function upload(scene: Scene): Promise<string> {
  const address = await begin(scene)
  const { status } = await puts(scene.alice, address, pictureBytes('png', { more: LIMITS.photoBytes - 100 }))
  if (status !== 200) throw new Error(`A photo was answered ${status}`)
  return pathOf(address)
}

const largest = () => sealedBytes(LIMITS.fileBytes + LIMITS.sealingBytes)
const sealed = async ({ alice }: Scene) => ({ objectId: objectIdOf(await uploadsFile(alice, largest())) })

/** Begins an upload and sends the most parts that one has. */
async function inParts({ alice }: Scene) {
  const begun = await alice.does(uploaderApi.begin, {})
  const bytes = largest()
  const parts: { PartNumber: number; ETag: string }[] = []
  for (let from = 0; from < bytes.length; from += LIMITS.uploadPartMinBytes) {
    const PartNumber = parts.length + 1
    const { url } = await alice.does(uploaderApi.sign, { ...begun, partNumber: PartNumber })
    const { headers } = await puts(alice, url, bytes.subarray(from, from + LIMITS.uploadPartMinBytes))
    parts.push({ PartNumber, ETag: headers.get('etag') ?? '' })
  }
  return { ...begun, parts }
}

/** What of each call for files costs the server most, as in `DEAREST`. */
export const FILES: Record<string, Record<string, Request>> = {
  'POST /api/objects/upload': { 'an address': async ({ alice }) => ({ who: alice, input: {} }) },
  // These requests bring no bytes, whose cost grows with them and is spread over their arrival.
  'PUT /objects/uploads/:objectId': {
    'an address, without bytes': async (scene) => ({ who: scene.alice, input: { objectId: objectIdOf(await begin(scene)) } }),
  },
  'GET /objects/uploads/:objectId': {
    'the largest file': async (scene) => ({ who: scene.alice, input: await sealed(scene) }),
  },
  // The server reads it from the bucket as it reads an upload: what grows with it is spread over its arrival.
  'POST /objects/uploads/:objectId': {
    'a file that is there': async (scene) => ({ who: scene.alice, input: await sealed(scene) }),
  },
  'DELETE /objects/uploads/:objectId': {
    'the largest file': async (scene) => ({ who: scene.alice, input: await sealed(scene) }),
  },
  'GET /s3/params': { 'an address': async ({ alice }) => ({ who: alice, input: { size: LIMITS.sealedFileBytes } }) },
  'POST /s3/multipart': { 'an upload': async ({ alice }) => ({ who: alice, input: {} }) },
  'GET /s3/multipart/:uploadId': {
    'the most parts': async (scene) => ({ who: scene.alice, input: await inParts(scene) }),
  },
  'GET /s3/multipart/:uploadId/:partNumber': {
    'a part': async ({ alice }) => ({
      who: alice,
      input: { ...(await alice.does(uploaderApi.begin, {})), partNumber: LIMITS.uploadPartsMax },
    }),
  },
  'POST /s3/multipart/:uploadId/complete': {
    'the largest file': async (scene) => ({ who: scene.alice, input: await inParts(scene) }),
  },
  'DELETE /s3/multipart/:uploadId': {
    'the most parts': async (scene) => ({ who: scene.alice, input: await inParts(scene) }),
  },
  'PUT /api/profile-image': {
    'another photo': async (scene) => ({ who: scene.alice, input: { profileImageURL: await upload(scene) } }),
  },
}
