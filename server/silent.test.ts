import { randomBytes, randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { accountApi } from '../contract/account/account.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { familyApi } from '../contract/account/family.ts'
import { sessionsApi } from '../contract/account/sessions.ts'
import { stepUpApi } from '../contract/account/stepup.ts'
import { CALL_LIMITS } from '../contract/chat/calllimits.ts'
import { callsApi } from '../contract/chat/calls.ts'
import { chatLocksApi } from '../contract/chat/chatlocks.ts'
import { contactsApi } from '../contract/chat/contacts.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import { notificationsApi } from '../contract/chat/notifications.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { transfersApi } from '../contract/chat/transfers.ts'
import { everyApi } from '../contract/every.ts'
import { type FrameType, RINGS_PATH } from '../contract/frames.ts'
import type { Endpoint } from '../contract/ground/endpoint.ts'
import { RATES, type Rate } from '../contract/ground/rates.ts'
import { type Noticed, noticed } from '../contract/noticed.ts'
import { privacyApi } from '../contract/people/privacy.ts'
import { makeLimits } from './ground/http/limits.ts'
import type { Browser } from './testing/browser.ts'
import { bytes, type Caller, opensLine } from './testing/calling.ts'
import { creation } from './testing/group.ts'
import type { Person } from './testing/person.ts'
import type { TestSocket } from './testing/socket.ts'
import { accepts, offers } from './testing/transferring.ts'
import { startWorld } from './testing/world.ts'

// Bob acts and hides what can be hidden. All cases are generated from the contract, so a new call is made from its first day.

const world = await startWorld()
// Who asks has had her looks at Bob's browsers for the day, which is when they must not show.
const limits = makeLimits(world.env.clock)
const { take } = world.env.limits
Object.assign(world.env, {
  limits: { take: (rate: Rate, key: string) => (rate === 'listOfStranger' ? limits.take(rate, key) : take(rate, key)) },
})

/** What may differ between two readings, and why. Everything else is compared byte for byte. */
const MASKS: Partial<Record<FrameType, string>> = {
  pong: 'Answers the ping by which the test waits.',
  account: 'Says that the reader has switched something, by which the test waits.',
}

/** Those to whom a call of the kind may not show. */
const SPARED: Record<Exclude<Noticed, 'others'>, string[]> = {
  nobody: ['a free friend', 'a paid friend', 'the family', 'the blocked', 'who asks', 'a stranger', 'another browser'],
  own: ['a free friend', 'a paid friend', 'the family', 'the blocked', 'who asks', 'a stranger'],
  contacts: ['who asks', 'a stranger'],
}

interface Onlooker {
  name: string
  browser: Browser
  line: TestSocket
  /** What is asked after each act, and what is asked at the end of a kind. */
  each: () => Promise<string>
  all: () => Promise<string[]>
}

const idOf = async (who: Person, other: Person) =>
  (await who.contacts()).find(({ contactUserId }) => contactUserId === other.id)?.id ?? ''

async function scene() {
  const names = ['bob', 'carol', 'eve', 'dora', 'frank', 'gina']
  const [bob, carol, eve, dora, frank, gina] = await Promise.all(names.map((name) => world.person(name)))
  const mia = await world.person('mia', 'master')
  if (!bob || !carol || !eve || !dora || !frank || !gina) throw new Error('Somebody is missing')
  await world.sql("update users set subscription_tier = 'free' where id = $1", [frank.id])
  const { invitationToken } = await mia.does(familyApi.invite, { inviteeUsername: bob.username })
  await bob.does(familyApi.accept, { token: invitationToken ?? '' })
  const rooms = new Map<Person, string>()
  for (const friend of [frank, dora, mia, carol]) {
    const chatRoomId = await friend.talksTo(bob)
    rooms.set(friend, chatRoomId)
    await friend.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
    await friend.does(roomsApi.commit, creation(chatRoomId))
    await world.sql(
      `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, is_silent, created_at)
       values ((select number from chat_rooms where id = $1), 2, gen_random_uuid(), $2, 'hello', 'text', false, false, now())`,
      [chatRoomId, friend.id],
    )
    await world.sql('update chat_rooms set last_seq = 2, last_message_seq = 2, last_message_at = now() where id = $1', [
      chatRoomId,
    ])
    await bob.does(messagesApi.markDelivered, { chatRoomId, seq: 2 })
  }
  const asked = await eve.adds(bob)
  rooms.set(eve, asked.chatRoomId)
  for (let look = 0; look < RATES.listOfStranger.points; look++) await eve.does(devicesApi.manifest, { userId: bob.id })
  const [laptop, tablet] = [await bob.addsBrowser(), await bob.addsBrowser()]
  await bob.does(privacyApi.update, { presence: false, lastSeen: false, typing: false, receipts: false })
  await bob.does(contactsApi.block, { contactId: await idOf(bob, carol) })

  const onlooker = async (name: string, who: Browser, person?: Person): Promise<Onlooker> => {
    const line = await who.opensSocket()
    onTestFinished(() => line.hangsUp())
    await line.hears('hello')
    const chatRoomId = person && rooms.get(person)
    const text = async (path: string) => {
      const answer = await who.request('GET', path)
      return `${path} ${answer.status} ${answer.text}`
    }
    const inRoom = chatRoomId
      ? ['log', 'group', 'archive-pages']
          .map((part) => `/api/rooms/${chatRoomId}/${part}`)
          .concat(`/api/messages?chatRoomId=${chatRoomId}`)
      : []
    const paths = [
      '/api/contacts',
      '/api/contacts/blocked',
      '/api/notifications',
      '/api/notifications/unread-count',
      '/api/family',
    ]
    paths.push(`/api/users/${bob.id}/manifest`, '/api/qr-code/uses', ...inRoom, ...(person === mia ? ['/api/master/family'] : []))
    return {
      ...{ name, browser: who, line },
      each: () => text('/api/rooms'),
      all: () => Promise.all(paths.map(text)),
    }
  }
  const onlookers = [
    await onlooker('a free friend', frank, frank),
    await onlooker('a paid friend', dora, dora),
    await onlooker('the family', mia, mia),
    await onlooker('the blocked', carol, carol),
    await onlooker('who asks', eve, eve),
    await onlooker('a stranger', gina),
    await onlooker('another browser', laptop),
  ]
  return { bob, dora, eve, laptop, tablet, onlookers, chatRoomId: rooms.get(dora) ?? '' }
}

type Scene = Awaited<ReturnType<typeof scene>>
type Act = () => Promise<unknown>

/** Acts that take more than their call with made-up input, by `<api>.<call>`. Each must succeed. */
async function acted({ bob, dora, eve, tablet, chatRoomId }: Scene): Promise<Record<string, Act>> {
  const [contactId, request] = [await idOf(bob, dora), await idOf(bob, eve)]
  const password = 'a chat password'
  const sets = async () => {
    await bob.does(stepUpApi.confirm, { password: bob.authSecret, kdf: 1 })
    await bob.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  }
  const spare = () => bob.elsewhere()
  return {
    'messagesApi.markRead': () => bob.does(messagesApi.markRead, { chatRoomId }),
    'notificationsApi.read': () => bob.does(notificationsApi.read, { rooms: [{ chatRoomId, seq: 2 }] }),
    'notificationsApi.mute': () => bob.does(notificationsApi.mute, { chatRoomId, term: 'hour' }),
    'notificationsApi.unmute': () => bob.does(notificationsApi.unmute, { chatRoomId }),
    'contactsApi.decline': () => bob.does(contactsApi.decline, { contactId: request }),
    'contactsApi.restore': () => bob.does(contactsApi.restore, { contactId: request }),
    'contactsApi.block': async () => {
      for (const id of [contactId, request]) await bob.does(contactsApi.block, { contactId: id })
    },
    'contactsApi.unblock': async () => {
      for (const id of [contactId, request]) await bob.does(contactsApi.unblock, { contactId: id })
    },
    'contactsApi.clearChat': () => bob.does(contactsApi.clearChat, { contactId }),
    'chatLocksApi.set': sets,
    'chatLocksApi.verify': () => bob.does(chatLocksApi.verify, { contactId, password }),
    'chatLocksApi.remove': async () => {
      await bob.does(chatLocksApi.remove, { contactId })
      await sets()
    },
    'chatLocksApi.lock': () => bob.does(chatLocksApi.lock, { contactId }),
    'chatLocksApi.giveUp': () => bob.does(chatLocksApi.giveUp, { contactId, chatRoomId }),
    'privacyApi.update': async () => {
      for (const typing of [true, false]) await bob.does(privacyApi.update, { typing })
    },
    'callsApi.updateSettings': async () => {
      for (const ringsClosed of [false, true]) await bob.does(callsApi.updateSettings, { ringsClosed })
    },
    'accountApi.login': async () => void (await spare()),
    'accountApi.logout': async () => await (await spare()).does(accountApi.logout, {}),
    'sessionsApi.end': async () => {
      await spare()
      const ended = (await bob.does(sessionsApi.list, {})).find(({ isCurrent }) => !isCurrent)
      await bob.does(sessionsApi.end, { sessionId: ended?.id ?? '' })
    },
    'sessionsApi.sleep': async () => await tablet.does(sessionsApi.sleep, {}),
    'devicesApi.enrol': async () => void (await bob.addsBrowser()),
    'devicesApi.changeKeys': async () => await bob.changesKeys({ removes: [(await bob.addsBrowser()).deviceId] }),
  }
}

/** A value of the shape: one that is known by the field's name, or any. */
function made(shape: z.core.JSONSchema.BaseSchema, name: string, known: Record<string, unknown>): unknown {
  if (name in known) return known[name]
  if (shape.anyOf?.[0] && typeof shape.anyOf[0] === 'object') return made(shape.anyOf[0], name, known)
  if (shape.type === 'object') {
    const fields = Object.entries(shape.properties ?? {}).filter(([field]) => shape.required?.includes(field))
    return Object.fromEntries(fields.map(([field, part]) => [field, typeof part === 'object' && made(part, field, known)]))
  }
  if (shape.type === 'array') return []
  if (shape.type === 'integer' || shape.type === 'number') return 1
  if (shape.type === 'boolean') return true
  return shape.const ?? shape.enum?.[0] ?? randomBytes(32).toString('base64')
}

/** Each call of the kind, with what Bob does beside the calls. */
async function actsOf(kind: Noticed, at: Scene): Promise<[string, Act][]> {
  const { bob, dora, chatRoomId } = at
  const special = await acted(at)
  const known = {
    ...{ chatRoomId, contactId: await idOf(bob, dora), userId: dora.id, seq: 2, number: 0, epochs: '1', generation: 1, epoch: 1 },
    ...{ id: randomUUID(), objectId: randomUUID(), username: 'somebody_else', deviceId: bob.deviceId },
  }
  const calls = Object.entries(noticed).flatMap(([api, each]) =>
    Object.entries(each).flatMap(([call, by]): [string, Act][] => {
      if (by !== kind) return []
      const endpoint = (everyApi as unknown as Record<string, Record<string, Endpoint>>)[api]?.[call]
      if (!endpoint) throw new Error(`There is no call ${api}.${call}`)
      const name = `${api}.${call}`
      return [[name, special[name] ?? (() => tried(bob, endpoint, known))]]
    }),
  )
  return kind === 'nobody' ? [...calls, ...(await comesAndGoes(at))] : calls
}

async function tried(bob: Person, endpoint: Endpoint, known: Record<string, unknown>): Promise<void> {
  const input = made(z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' }), '', known)
  const { status } = await bob.tries(endpoint, typeof input === 'object' ? { ...input } : {})
  expect(status, `${endpoint.method} ${endpoint.path}`).not.toBe(500)
}

async function comesAndGoes({ bob, chatRoomId }: Scene): Promise<[string, Act][]> {
  let line: TestSocket | undefined
  const isHere = (here: boolean) =>
    expect.poll(() => world.sql("select nodes <> '{}' as here from presence where user_id = $1", [bob.id])).toEqual([{ here }])
  return [
    [
      'comes',
      async () => {
        line = await bob.opensSocket()
        await line.hears('hello')
        await isHere(true)
      },
    ],
    ['types', async () => line?.says({ type: 'typing', data: { chatRoomId, isTyping: true } })],
    [
      'goes',
      async () => {
        line?.hangsUp()
        await line?.closed
      },
    ],
  ]
}

/** Waits until whatever the server has sent to the onlooker is here: what is announced later is told later. */
async function settled({ browser, line }: Onlooker): Promise<void> {
  for (const typing of [false, true]) await browser.does(privacyApi.update, { typing })
  for (let twice = 0; twice < 2; twice++) await line.hears('account')
  line.says({ type: 'ping', data: {} })
  await line.hears('pong')
}

async function isSilent(kind: keyof typeof SPARED): Promise<void> {
  const at = await scene()
  const spared = at.onlookers.filter(({ name }) => SPARED[kind].includes(name))
  expect(spared).toHaveLength(SPARED[kind].length)
  const acts = await actsOf(kind, at)
  // Those of who shares the account would be told of the waiting too.
  const waiting = spared.filter(({ name }) => name !== 'another browser')
  await Promise.all(waiting.map(settled))
  const before = await Promise.all(spared.map(async ({ each, all }) => ({ each: await each(), all: await all() })))
  const counts = spared.map(({ line }) => line.frames.length)
  for (const [name, act] of acts) {
    await act()
    const answers = await Promise.all(spared.map(({ each }) => each()))
    for (const [place, { name: who }] of spared.entries())
      expect({ name, who, answer: answers[place] }).toEqual({ name, who, answer: before[place]?.each })
  }
  await Promise.all(waiting.map(settled))
  for (const [place, { name: who, line, all }] of spared.entries()) {
    const told = line.frames.slice(counts[place]).filter(({ type }) => !(type in MASKS))
    expect({ who, told }).toEqual({ who, told: [] })
    expect({ who, answers: await all() }).toEqual({ who, answers: before[place]?.all })
  }
}

test('whatever Bob does in silence changes no answer and no frame of anybody else: not a byte, not their number or order', async () => {
  for (const kind of ['nobody', 'own', 'contacts'] as const) await isSilent(kind)
})

/** What Bob, who hides when he is online, is or does while somebody rings. */
const RUNG: Record<string, (bob: Person, caller: Person) => Promise<((callId: string) => Promise<void>) | undefined>> = {
  'is away': async () => undefined,
  'is rung': async (bob) => {
    const line = await opensLine(bob, bob.id)
    return async (callId) => void (await line.hears('call-offer', ({ data }) => data.callId === callId))
  },
  'is in another call': async (bob, caller) => {
    const line = await opensLine(bob, bob.id)
    return async (callId) => {
      await line.hears('call-offer', ({ data }) => data.callId === callId)
      line.sends('call-reject', { callId, to: caller.id, attempt: 1, reason: 'busy' })
      await line.settles()
    }
  },
  'is locked': async (bob) => {
    const laptop = await bob.addsBrowser()
    await laptop.does(sessionsApi.sleep, {})
    const line = await opensLine(laptop, bob.id, RINGS_PATH)
    return async (callId) => void (await line.hears('call-offer', ({ data }) => data.callId === callId))
  },
  'comes while it rings': async (bob) => async () => void (await opensLine(bob, bob.id)),
  'goes while it rings': async (bob) => {
    const line = await opensLine(bob, bob.id)
    return async () => {
      line.hangsUp()
      await line.closed
    }
  },
  'has blocked, and is away': async (bob, caller) => {
    await bob.does(contactsApi.block, { contactId: await idOf(bob, caller) })
    return undefined
  },
  'has blocked, and is here': async (bob, caller) => {
    await bob.does(contactsApi.block, { contactId: await idOf(bob, caller) })
    await opensLine(bob, bob.id)
    return undefined
  },
  'blocks while it rings': async (bob, caller) => {
    await opensLine(bob, bob.id)
    return async () => void (await bob.does(contactsApi.block, { contactId: await idOf(bob, caller) }))
  },
}

test('who rings Bob is told the same, in the same order and at the same times, whatever he is, does or has done', async () => {
  const told = new Map<string, string>()
  for (const [what, becomes] of Object.entries(RUNG)) {
    const [caller, bob] = [await world.person('caller'), await world.person('bob')]
    await caller.talksTo(bob)
    await bob.does(privacyApi.update, { presence: false, lastSeen: false })
    const acts = await becomes(bob, caller)
    const line = await opensLine(caller, caller.id)
    const before = line.frames.length
    const heard: [number, string][] = []
    const notes = async (second: number) => {
      await world.calls.look()
      await line.settles()
      heard.push(...line.news().map((frame): [number, string] => [second, JSON.stringify(frame)]))
    }
    const callId = line.rings(bob.id)
    await notes(0)
    await acts?.(callId)
    await notes(0)
    for (const [second, passed] of [
      [20, 20],
      [CALL_LIMITS.ringSeconds, 25],
      [CALL_LIMITS.ringSeconds + 2, 2],
      [60, 13],
    ] as const) {
      world.passes(passed)
      await notes(second)
    }
    const others = line.frames.slice(before).filter(({ type }) => !type.startsWith('call-') && type !== 'refused')
    expect({ what, others }).toEqual({ what, others: [] })
    const shown = JSON.stringify(heard).replaceAll(callId, 'call').replaceAll(caller.id, 'caller')
    told.set(what, shown.replaceAll(bob.id, 'bob'))
  }
  const away = told.get('is away') ?? ''
  expect(away).toContain('call-success')
  expect(away).toContain('no_answer')
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(Object.keys(RUNG).map((what) => [what, away])))
})

const blocks = async (who: Person, other: Person) => await who.does(contactsApi.block, { contactId: await idOf(who, other) })

/** What Bob, who hides when he is online, is or does where somebody offers him a file that he does not take. */
const OFFERED: Record<string, (bob: Person, sender: Person) => Promise<(() => Promise<unknown>) | undefined>> = {
  'is away': async () => undefined,
  'is here': async (bob) => void (await opensLine(bob, bob.id)),
  'comes later': async (bob) => () => opensLine(bob, bob.id),
  'looks at the list': async (bob) => () => bob.does(transfersApi.list, {}),
  'has blocked, and is away': async (bob, sender) => void (await blocks(bob, sender)),
  'has blocked, and is here': async (bob, sender) => {
    await blocks(bob, sender)
    await opensLine(bob, bob.id)
    return undefined
  },
  'blocks later': async (bob, sender) => {
    await opensLine(bob, bob.id)
    return () => blocks(bob, sender)
  },
  'has blocked, and tries to accept': async (bob, sender) => {
    await blocks(bob, sender)
    const line = await opensLine(bob, bob.id)
    return async () => {
      for (const { id } of await world.sql('select id from transfers where receiver_id = $1', [bob.id]))
        accepts(line, String(id), sender.id)
      await line.settles()
    }
  },
}

/** Frames and answers, without what is random. */
const withoutIds = (told: unknown, ids: Record<string, string>): string =>
  Object.entries(ids)
    .reduce((text, [name, id]) => text.replaceAll(id, name), JSON.stringify(told))
    .replace(/"expiresAt":"[^"]+"/g, '')

const wordsSaid = async (line: Caller) => {
  await line.settles()
  return line.news()
}

test('who offers Bob a file is answered and told the same, whatever he is or does, until the offer has expired', async () => {
  const told = new Map<string, string>()
  for (const [what, becomes] of Object.entries(OFFERED)) {
    const [sender, bob] = [await world.person('sender'), await world.person('bob')]
    await sender.talksTo(bob)
    await bob.does(privacyApi.update, { presence: false, lastSeen: false })
    const acts = await becomes(bob, sender)
    let line = await opensLine(sender, sender.id)
    const heard: unknown[] = []
    const transferId = await offers(sender, bob)
    const one = { transferId, to: bob.id, attempt: 1, signal: bytes(64), reason: 'again' }
    const looks = async () => {
      for (const type of ['transfer-here', 'transfer-answer', 'transfer-signal', 'transfer-reject']) line.sends(type, one)
      const offered = { transferId, to: bob.id, bytes: 1048576 }
      heard.push(await wordsSaid(line), await sender.does(transfersApi.list, {}), await sender.tries(transfersApi.offer, offered))
      heard.push(await sender.tries(callsApi.turn, { transferId }))
    }
    await looks()
    await acts?.()
    await looks()
    world.passes(24 * 60 * 60)
    await sender.returns()
    line = await opensLine(sender, sender.id)
    await world.jobs.runDue()
    await looks()
    expect(line.frames.filter(({ type }) => type === 'presence' || type === 'contacts')).toEqual([])
    told.set(what, withoutIds(heard, { transferId, sender: sender.id, bob: bob.id, device: sender.deviceId }))
  }
  const away = told.get('is away') ?? ''
  expect(away).toContain('expired')
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(Object.keys(OFFERED).map((what) => [what, away])))
})

/** What Bob does who has accepted the file of somebody. */
const ACCEPTED: Record<string, (bob: Person, sender: Person, his: Caller, transferId: string) => Promise<unknown>> = {
  leaves: async (_bob, _sender, his) => {
    his.hangsUp()
    await his.closed
  },
  'blocks and leaves': async (bob, sender, his) => {
    await blocks(bob, sender)
    his.hangsUp()
    await his.closed
  },
  'blocks and stays': blocks,
  'blocks, and goes on all the same': async (bob, sender, his, transferId) => {
    await blocks(bob, sender)
    accepts(his, transferId, sender.id, 2)
    for (const type of ['transfer-signal', 'transfer-reject'])
      his.sends(type, { transferId, to: sender.id, attempt: 1, signal: bytes(64), reason: 'again' })
    await his.settles()
  },
}

test('whose file Bob has accepted is answered and told the same where he blocks them as where he leaves', async () => {
  const told = new Map<string, string>()
  for (const [what, acts] of Object.entries(ACCEPTED)) {
    const [sender, bob] = [await world.person('sender'), await world.person('bob')]
    await sender.talksTo(bob)
    await bob.does(privacyApi.update, { presence: false, lastSeen: false })
    const [line, his] = [await opensLine(sender, sender.id), await opensLine(bob, bob.id)]
    const transferId = await offers(sender, bob)
    accepts(his, transferId, sender.id)
    await line.hears('transfer-accept')
    const heard: unknown[] = []
    await wordsSaid(line)
    await acts(bob, sender, his, transferId)
    const one = { transferId, to: bob.id, attempt: 1, signal: bytes(64), reason: 'again' }
    for (const type of ['transfer-here', 'transfer-answer', 'transfer-signal', 'transfer-reject']) line.sends(type, one)
    heard.push(await wordsSaid(line), await sender.does(transfersApi.list, {}), await sender.tries(callsApi.turn, { transferId }))
    heard.push(await sender.tries(transfersApi.end, { transferId, reason: 'changed' }), await wordsSaid(line))
    heard.push(await sender.does(transfersApi.list, {}))
    const ids = { transferId, sender: sender.id, bob: bob.id, device: sender.deviceId, his: bob.deviceId }
    told.set(what, withoutIds(heard, ids))
  }
  const leaves = told.get('leaves') ?? ''
  expect(leaves).toContain('"hasRelay"')
  expect(leaves).toContain('"end":"changed"')
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(Object.keys(ACCEPTED).map((what) => [what, leaves])))
})

/** What Alice, who has offered a file to somebody, is or does while they take it. */
const TAKEN: Record<string, (alice: Person, receiver: Person) => Promise<Caller | undefined>> = {
  'is away': async () => undefined,
  'has blocked, and is away': async (alice, receiver) => {
    await blocks(alice, receiver)
    return undefined
  },
  'has blocked, and is here': async (alice, receiver) => {
    await blocks(alice, receiver)
    const line = await opensLine(alice, alice.id)
    for (const { id } of await world.sql('select id from transfers where sender_id = $1', [alice.id]))
      line.sends('transfer-here', { transferId: String(id), to: receiver.id })
    await line.settles()
    line.news()
    return line
  },
}

test('who takes a file of Alice’s and was blocked since is told what they are told while she is away, and she hears nothing', async () => {
  const told = new Map<string, string>()
  for (const [what, becomes] of Object.entries(TAKEN)) {
    const [alice, receiver] = [await world.person('alice'), await world.person('receiver')]
    await alice.talksTo(receiver)
    const line = await opensLine(receiver, receiver.id)
    const transferId = await offers(alice, receiver)
    const hers = await becomes(alice, receiver)
    for (const attempt of [1, 2]) {
      accepts(line, transferId, alice.id, attempt)
      line.sends('transfer-signal', { transferId, to: alice.id, attempt, signal: bytes(64) })
    }
    const heard = [await wordsSaid(line), await receiver.does(transfersApi.list, {})]
    expect({ what, sent: hers ? await wordsSaid(hers) : [] }).toEqual({ what, sent: [] })
    const ids = { transferId, alice: alice.id, receiver: receiver.id, device: alice.deviceId, other: receiver.deviceId }
    told.set(what, withoutIds(heard, ids))
  }
  const away = told.get('is away') ?? ''
  expect(away).toContain('"isThere":false')
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(Object.keys(TAKEN).map((what) => [what, away])))
})
