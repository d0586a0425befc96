import { randomUUID } from 'node:crypto'
import { chatLocksApi } from '../contract/chat/chatlocks.ts'
import { codesApi } from '../contract/chat/contactcodes.ts'
import { REPORT_LIMITS } from '../contract/chat/reportlimits.ts'
import { base64, confirms, type Request, type Scene } from './scene.ts'

async function askedBy(scene: Scene) {
  const stranger = await scene.newcomer()
  await stranger.adds(scene.bob)
  const row = (await scene.bob.contacts()).find(({ contactUserId }) => contactUserId === stranger.id)
  return { who: scene.bob, input: { contactId: row?.id } }
}

const PASSWORD = { password: 'hunter22', confirmPassword: 'hunter22' }

/** Somebody new whom Bob has accepted. */
async function listed(scene: Scene) {
  const stranger = await scene.newcomer()
  const chatRoomId = await stranger.talksTo(scene.bob)
  const row = (await scene.bob.contacts()).find((each) => each.chatRoomId === chatRoomId)
  return { contactId: row?.id ?? '', chatRoomId }
}

async function withPassword(scene: Scene) {
  const contact = await listed(scene)
  await confirms(scene.bob)
  await scene.bob.does(chatLocksApi.set, { contactId: contact.contactId, ...PASSWORD })
  return contact
}

/** What of each call for contacts and their codes costs the server most, as in `DEAREST`. */
export const CONTACTS: Record<string, Record<string, Request>> = {
  'GET /api/contacts': {
    'a page of as many contacts as may be, each with a message': async ({ alice }) => ({ who: alice, input: {} }),
  },
  'GET /api/contacts/blocked': { 'as many contacts as may be': async ({ alice }) => ({ who: alice, input: {} }) },
  'POST /api/contacts': {
    'somebody new': async ({ newcomer, bob }) => ({ who: await newcomer(), input: { username: bob.username } }),
  },
  'POST /api/contacts/:contactId/accept': { 'a request': askedBy },
  'POST /api/contacts/:contactId/decline': { 'a request': askedBy },
  'POST /api/contacts/:contactId/restore': { 'a request': askedBy },
  'DELETE /api/contacts/:contactId': { 'a request': askedBy },
  'POST /api/contacts/:contactId/block': { 'a request': askedBy },
  'POST /api/contacts/:contactId/unblock': { 'who was blocked': askedBy },
  'POST /api/contacts/:contactId/report': {
    'as much as may be said': async (scene) => {
      const { who, input } = await askedBy(scene)
      return {
        who,
        input: { ...input, id: randomUUID(), category: 'other', text: 'x'.repeat(REPORT_LIMITS.reportTextMax), messages: [] },
      }
    },
  },
  // A program's password is stretched here.
  'POST /api/contacts/:contactId/set-password': {
    'a password that is not stretched': async (scene) => {
      const contact = await listed(scene)
      await confirms(scene.bob)
      return { who: scene.bob, input: { ...contact, ...PASSWORD } }
    },
  },
  'POST /api/contacts/:contactId/verify-password': {
    'a password that is not stretched': async (scene) => {
      const contact = await withPassword(scene)
      return { who: scene.bob, input: { ...contact, password: 'hunter23' } }
    },
  },
  'POST /api/contacts/:contactId/remove-password': {
    'a chat with a password': async (scene) => ({ who: scene.bob, input: await withPassword(scene) }),
  },
  'POST /api/contacts/:contactId/lock': {
    'a chat with a password': async (scene) => ({ who: scene.bob, input: await withPassword(scene) }),
  },
  'POST /api/contacts/:contactId/give-up-history': {
    'a chat with a password': async (scene) => {
      const { contactId, chatRoomId } = await withPassword(scene)
      return { who: scene.bob, input: { contactId, chatRoomId } }
    },
  },
  'DELETE /api/contacts/:contactId/clear-chat': {
    'a long conversation': async ({ alice, longRoom }) => {
      const row = (await alice.contacts()).find(({ chatRoomId }) => chatRoomId === longRoom.chatRoomId)
      return { who: alice, input: { contactId: row?.id, upTo: 0 } }
    },
  },
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
