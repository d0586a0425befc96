import { codesApi } from '../contract/codes.ts'
import { base64, type Request, type Scene } from './scene.ts'

async function askedBy(scene: Scene) {
  const stranger = await scene.newcomer()
  await stranger.adds(scene.bob)
  const row = (await scene.bob.contacts()).find(({ contactUserId }) => contactUserId === stranger.id)
  return { who: scene.bob, input: { contactId: row?.id } }
}

/** What of each call for contacts and their codes costs the server most, as in `DEAREST`. */
export const CONTACTS: Record<string, Record<string, Request>> = {
  'GET /api/contacts': { 'as many contacts as may be, each with a message': async ({ alice }) => ({ who: alice, input: {} }) },
  'POST /api/contacts': {
    'somebody new': async ({ newcomer, bob }) => ({ who: await newcomer(), input: { username: bob.username } }),
  },
  'POST /api/contacts/:contactId/accept': { 'a request': askedBy },
  'POST /api/contacts/:contactId/decline': { 'a request': askedBy },
  'POST /api/contacts/:contactId/restore': { 'a request': askedBy },
  'DELETE /api/contacts/:contactId': { 'a request': askedBy },
  'GET /api/qr-code': { 'a valid code': async ({ alice }) => ({ who: alice, input: {} }) },
  'POST /api/qr-code/generate': { 'a new code for the old one': async ({ alice }) => ({ who: alice, input: {} }) },
  'POST /api/qr-code/add-contact': {
    'somebody new': async ({ newcomer, bob }) => {
      const { qrToken } = await bob.does(codesApi.generate, {})
      return { who: await newcomer(), input: { qrToken, proof: base64(32) } }
    },
  },
  'GET /api/qr-code/uses': { 'the uses of a busy day': async ({ bob }) => ({ who: bob, input: {} }) },
  'POST /api/qr-code/uses/:useId/answer': {
    'one of them': async ({ newcomer, bob }) => {
      const { qrToken } = await bob.does(codesApi.generate, {})
      await (await newcomer()).does(codesApi.redeem, { qrToken: qrToken ?? '' })
      const [use] = await bob.does(codesApi.uses, {})
      return { who: bob, input: { useId: use?.id } }
    },
  },
}
