import { filesApi } from '../contract/files.ts'
import { LIMITS } from '../contract/limits.ts'
import { pictureBytes } from '../server/testing/picture.ts'
import type { Request, Scene } from './scene.ts'

const begin = async ({ alice }: Scene) => (await alice.does(filesApi.upload, {})).uploadURL
const idOf = (path: string) => path.split('/').at(-1)

/** Uploads the largest photo. */
async function upload(scene: Scene): Promise<string> {
  const path = await begin(scene)
  const body = pictureBytes('png', { more: LIMITS.photoBytes - 100 })
  const { status } = await scene.alice.request('PUT', path, { body, headers: { origin: scene.alice.origin ?? '' } })
  if (status !== 200) throw new Error(`A photo was answered ${status}`)
  return path
}

/** What of each call for files costs the server most, as in `DEAREST`. */
export const FILES: Record<string, Record<string, Request>> = {
  'POST /api/objects/upload': { 'an address': async ({ alice }) => ({ who: alice, input: {} }) },
  // These requests bring no bytes, whose cost grows with them and is spread over their arrival.
  'PUT /objects/uploads/:objectId': {
    'an address, without bytes': async (scene) => ({ who: scene.alice, input: { objectId: idOf(await begin(scene)) } }),
  },
  'GET /objects/uploads/:objectId': {
    'the largest photo': async (scene) => ({ who: scene.alice, input: { objectId: idOf(await upload(scene)) } }),
  },
  'PUT /api/profile-image': {
    'another photo': async (scene) => ({ who: scene.alice, input: { profileImageURL: await upload(scene) } }),
  },
}
