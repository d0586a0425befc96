import { beforeEach, expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import { privacyApi } from '../../../contract/people/privacy.ts'
import { setTyping } from '../../chat/messages/send.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import type { Room } from '../../rooms/list/room.ts'
import { openBrowser } from '../../testing/browser.ts'
import { ALL_SHOWN } from '../../testing/privacy.ts'
import { accountStore } from '../account/accountState.ts'
import { ownPrivacy, savePrivacy } from './privacy.ts'

const alice = { id: 'a1', username: 'alice', displayName: 'Alice', privacy: ALL_SHOWN } as User

/** A page of Alice; `answers` is what the server says to each switch. */
function page(answers: (input: object) => unknown) {
  accountStore.setState({ phase: 'signed_in', user: alice, notice: null, isNew: false })
  const frames: unknown[] = []
  let nowMs = 1_000_000
  const api = async (call: unknown, input: object) => (call === privacyApi.update ? answers(input) : expect.fail('another call'))
  const env = {
    api,
    socket: { send: (frame: unknown) => frames.push(frame) },
    clock: () => {
      nowMs += PERIODS.typingSentMs + 1
      return new Date(nowMs)
    },
  }
  return { env: env as unknown as Env, frames }
}

beforeEach(openBrowser)

test('A switch shows what the server has stored, not what was pressed', async () => {
  const sent: object[] = []
  const { env } = page((input) => {
    sent.push(input)
    return { ...ALL_SHOWN, ...input, receipts: false }
  })
  await savePrivacy(env, { typing: false })
  expect(sent).toEqual([{ typing: false }])
  expect(ownPrivacy()).toEqual({ ...ALL_SHOWN, typing: false, receipts: false })
})

test('A refusal, and an account that was closed meanwhile, change nothing', async () => {
  const { env } = page(() => Promise.reject(new ApiError(0, 'offline', 'You are offline')))
  await expect(savePrivacy(env, { presence: false })).rejects.toThrow('You are offline')
  expect(ownPrivacy()).toEqual(ALL_SHOWN)
  const late = page(() => {
    accountStore.setState({ user: { ...alice, id: 'b2' } })
    return { ...ALL_SHOWN, presence: false }
  })
  await savePrivacy(late.env, { presence: false })
  expect(ownPrivacy()).toEqual(ALL_SHOWN)
  accountStore.setState({ user: null })
  expect(Object.values(ownPrivacy())).toEqual([false, false, false, false])
})

test('Whoever hides their typing sends no word of it', async () => {
  const { env, frames } = page((input) => ({ ...ALL_SHOWN, ...input }))
  const room = { id: 'dm_a_b' } as Room
  setTyping(env, room, true)
  expect(frames).toHaveLength(1)
  await savePrivacy(env, { typing: false })
  setTyping(env, room, true)
  setTyping(env, room, false)
  expect(frames).toHaveLength(1)
})
