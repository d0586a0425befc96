import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openBrowser } from '../../testing/browser.ts'
import { TestChannel } from '../../testing/channel.ts'
import { fakeLocks } from '../../testing/locks.ts'
import { openMediaWorld } from '../../testing/mediaworld.ts'
import type { Network } from '../../testing/rtc.ts'
import { openTransferPage, type TransferPage } from '../../testing/transferpage.ts'
import { type TransferWire, transferWire } from '../../testing/transferwire.ts'

let wire: TransferWire
let network: Network
let alice: TransferPage
let bob: TransferPage

const ids = { alice: '10000000-0000-4000-8000-000000000001', bob: '20000000-0000-4000-8000-000000000002' }

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  vi.setSystemTime('2026-06-01T12:00:00Z')
  onTestFinished(openBrowser())
  ;({ network } = openMediaWorld())
  vi.stubGlobal('BroadcastChannel', TestChannel)
  vi.stubGlobal('addEventListener', (type: string, work: () => void) => type === 'online' && onOnline.add(work))
  vi.stubGlobal('removeEventListener', (_: string, work: () => void) => onOnline.delete(work))
  onTestFinished(() => expect(onOnline.size).toBe(0))
  wire = transferWire()
  alice = await openTransferPage(wire, { userId: ids.alice, otherId: ids.bob })
  bob = await openTransferPage(wire, { userId: ids.bob, otherId: ids.alice })
})

afterEach(() => {
  for (const page of [alice, bob]) {
    expect(page.failures).toEqual([])
    page.closes()
  }
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** What pages do when their browser is online again. */
const onOnline = new Set<() => void>()
const isOnline = () => onOnline.forEach((work) => void work())
const passes = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)
const soon = () => passes(0.5)
/** Nothing here takes longer, however slow the machine: the clock is the test's. */
const untilDone = async (page: TransferPage, id: string) => {
  for (let second = 0; second < 120 && page.shows(id)?.stage !== 'done'; second++) await passes(1)
}

const KIB = 1024
const SIZE = 300 * KIB

const fileOf = (sizeBytes: number, name = 'film.mp4'): File => {
  const bytes = new Uint8Array(sizeBytes)
  for (let at = 0; at < sizeBytes; at += 1000) bytes[at] = at % 251
  return new File([bytes], name, { type: 'video/mp4' })
}

async function offered(sizeBytes = SIZE, from = alice, to = bob): Promise<string> {
  await from.offers(fileOf(sizeBytes))
  const id = from.keys.state.posted.at(-1)?.id ?? ''
  expect(from.shows(id)?.movedBytes).toBe(0)
  await to.sees(from, id)
  return id
}

async function accepted(sizeBytes = SIZE, from = alice, to = bob): Promise<string> {
  const id = await offered(sizeBytes, from, to)
  await from.accepts(id)
  await to.accepts(id)
  return id
}

const bytesOf = async (blob: Blob | undefined) => blob && Buffer.from(await blob.arrayBuffer())

async function isWhole(id: string, to = bob, sizeBytes = SIZE): Promise<void> {
  expect(to.shows(id)).toMatchObject({ stage: 'done', isHere: true, movedBytes: sizeBytes })
  const bytes = Buffer.from(await fileOf(sizeBytes).arrayBuffer())
  expect((await bytesOf(await to.does.receivedFile(to.env, id)))?.equals(bytes)).toBe(true)
}

async function isWholeByOneConnection(id: string, sizeBytes: number): Promise<void> {
  await untilDone(bob, id)
  await isWhole(id, bob, sizeBytes)
  // Each end has one.
  expect(network.connections).toHaveLength(2)
}

/** A page of the same browser. */
const again = (page: TransferPage) => openTransferPage(wire, { userId: page.userId, otherId: page.otherId, keys: page.keys })

async function reloads(page: TransferPage): Promise<TransferPage> {
  page.closes()
  const next = await again(page)
  next.begins()
  return next
}

const frames = (type: string, from?: string) =>
  wire.said.filter((one) => one.frame.type === type && (from === undefined || one.from === from))
const numberIn = (frame: Uint8Array) => new DataView(frame.buffer, frame.byteOffset).getUint32(0)

describe('A file that goes over', () => {
  test('Alice offers, Bob accepts: the same bytes are at Bob’s, nothing is kept at Alice’s, and both are told', async () => {
    const id = await offered()
    expect(alice.shows(id)).toMatchObject({ stage: 'offered', isMine: true, isHere: true })
    expect(bob.shows(id)).toMatchObject({ stage: 'offered', isMine: false, isHere: false })
    expect([alice.toasts(), bob.toasts()]).toEqual([['File Offer Sent'], ['Incoming File']])
    // Nothing goes to the other browser before Accept.
    expect(network.connections).toEqual([])
    await alice.accepts(id)
    await bob.accepts(id)
    await untilDone(bob, id)
    await soon()
    await isWhole(id)
    expect(alice.shows(id)).toMatchObject({ stage: 'done', isHere: false, end: 'done' })
    expect(alice.keys.state.kept.size).toBe(0)
    expect(alice.toasts()).toContain('File Sent')
    expect(bob.toasts()).toEqual(['Incoming File', 'Secure Connection Established', 'File Received'])
    expect(network.connections.map(({ signalingState }) => signalingState)).toEqual(['closed', 'closed'])
  })

  test('Several at once and in both directions', async () => {
    const one = await accepted()
    const two = await accepted(500 * KIB)
    const three = await accepted(400 * KIB, bob, alice)
    for (const id of [one, two]) await untilDone(bob, id)
    await untilDone(alice, three)
    await isWhole(one)
    await isWhole(two, bob, 500 * KIB)
    await isWhole(three, alice, 400 * KIB)
  })

  test('No end asks or sends more than its memory has room for', async () => {
    network.bytesPerMs = 64 * KIB
    let ahead = 0
    let most = 0
    const { openChunks } = bob.keys.crypto
    network.carries = (message, label) => {
      if (label === 'chunks') ahead += 1
      most = Math.max(most, ahead)
      return message
    }
    bob.keys.crypto.openChunks = async (input, frames) => {
      // A slow disk.
      await new Promise((resolve) => setTimeout(resolve, 200))
      ahead -= Math.round(frames.length / 16_420)
      return openChunks(input, frames)
    }
    const id = await accepted(24 * 1024 * KIB)
    await untilDone(bob, id)
    await isWhole(id, bob, 24 * 1024 * KIB)
    // 16 MiB, and what is in the disk's hands.
    expect(most).toBeLessThanOrEqual(1024 + 64)
    expect(most).toBeGreaterThan(512)
  })

  test('Once the last chunk is here nobody waits for the word that all was sent', async () => {
    network.carries = (message, label) => (label === 'control' && `${message}`.includes('file-done') ? null : message)
    const id = await accepted()
    await passes(0.3)
    await isWhole(id)
  })

  test('Two batches are sealed while the one before them goes out, and no more', async () => {
    network.bytesPerMs = 1
    const id = await accepted(16 * 1024 * KIB)
    await passes(2)
    // Four are in the channel, which then waits.
    expect(alice.keys.state.sealed).toHaveLength((4 + 1 + 2) * 64)
    network.bytesPerMs = 64 * KIB
    await untilDone(bob, id)
    await isWhole(id, bob, 16 * 1024 * KIB)
  })

  test('What moves is shown with its speed and the time that is left, a few times a second', async () => {
    network.bytesPerMs = 2 * KIB
    const shown: number[] = []
    const id = await offered(6 * 1024 * KIB)
    bob.transferStore.subscribe(({ transfers }) => {
      const now = transfers.get(id)
      if (now?.bytesPerSecond) shown.push(now.bytesPerSecond)
    })
    await alice.accepts(id)
    await bob.accepts(id)
    await passes(2)
    expect(bob.shows(id)).toMatchObject({ stage: 'moving', isRelayed: false })
    expect(bob.shows(id)?.secondsLeft).toBeGreaterThan(0)
    expect(alice.shows(id)?.movedBytes).toBeGreaterThan(0)
    expect(shown.length).toBeLessThanOrEqual(8)
    await untilDone(bob, id)
    await isWhole(id, bob, 6 * 1024 * KIB)
  })
})

describe('A bad line', () => {
  test('Chunks that are lost without a word are asked for again', async () => {
    let at = 0
    network.carries = (message, label) => (label === 'chunks' && at++ % 7 === 3 ? null : message)
    const id = await accepted()
    await untilDone(bob, id)
    await isWhole(id)
    // What has come is not sent twice.
    const sealed = alice.keys.state.sealed
    expect(sealed.length).toBeGreaterThan(19)
    expect(sealed.length).toBeLessThan(30)
  })

  test('A corrupted chunk is dropped and repaired', async () => {
    let hasSpoiled = false
    network.carries = (message, label) => {
      if (label !== 'chunks' || hasSpoiled || typeof message === 'string' || numberIn(message) !== 5) return message
      hasSpoiled = true
      const other = message.slice()
      other.fill(255, 100, 200)
      return other
    }
    const id = await accepted()
    await untilDone(bob, id)
    await isWhole(id)
    expect(alice.keys.state.sealed.filter((number) => number === 5)).toHaveLength(2)
  })

  test('Cut in the middle and back again, it goes on with what is there', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(6 * 1024 * KIB)
    await passes(1)
    network.cut()
    const before = bob.keys.state.kept.get(id)?.pieces.size ?? 0
    expect(before).toBeGreaterThan(10)
    await passes(30)
    expect(bob.shows(id)?.stage).not.toBe('moving')
    network.isUp = true
    await untilDone(bob, id)
    await isWhole(id, bob, 6 * 1024 * KIB)
    expect(alice.keys.state.sealed.length).toBeLessThan(384 * 2)
  })

  test('A short cut is mended on the connection that stands', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(16 * 1024 * KIB)
    await passes(0.5)
    network.cut()
    await passes(6.02)
    expect(bob.shows(id)?.movedBytes).toBeLessThan(4 * 1024 * KIB)
    network.isUp = true
    await passes(1)
    expect(network.connections.map(({ connectionState }) => connectionState)).toEqual(['connected', 'connected'])
    await isWholeByOneConnection(id, 16 * 1024 * KIB)
  })

  test.each([
    ['The browsers say that they are online again', () => isOnline()],
    ['Bob’s socket is back', () => bob.socket.comesBack()],
    ['Alice’s socket is back', () => alice.socket.comesBack()],
  ])('%s: another way is looked for at once, beside the one that stands', async (_, changes) => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(16 * 1024 * KIB)
    await passes(0.5)
    const before = network.gathered.length
    changes()
    await soon()
    expect(network.gathered.length).toBeGreaterThan(before)
    await isWholeByOneConnection(id, 16 * 1024 * KIB)
  })

  test('What flows goes on while the other end’s socket is away, and the offer goes out anew', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(40 * 1024 * KIB)
    await passes(0.5)
    alice.socket.breaks()
    isOnline()
    await passes(11)
    const offers = frames('transfer-signal', ids.bob).length
    alice.socket.comesBack()
    await passes(6)
    expect(frames('transfer-signal', ids.bob).length).toBeGreaterThan(offers)
    await isWholeByOneConnection(id, 40 * 1024 * KIB)
  })

  test('A lost socket stops nothing that is connected, and the end is told when it is back', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(2 * 1024 * KIB)
    await passes(0.3)
    for (const page of [alice, bob]) page.socket.breaks()
    bob.server.isReachable = false
    await untilDone(bob, id)
    await isWhole(id, bob, 2 * 1024 * KIB)
    expect(wire.listed.get(id)?.end).toBe(null)
    bob.server.isReachable = true
    for (const page of [bob, alice]) page.socket.comesBack()
    await soon()
    expect(wire.listed.get(id)?.end).toBe('done')
    expect(alice.shows(id)?.stage).toBe('done')
  })

  test('Where no way is found it is tried again, later each time, with the relay from the second on, and then said', async () => {
    for (const page of [alice, bob]) page.server.hasRelay = true
    for (const page of [alice, bob]) page.keys.state.keys.hidesAddress = false
    network.isUp = false
    const id = await accepted()
    await passes(4)
    expect([bob.server.relaysAsked, alice.server.relaysAsked]).toEqual([0, 0])
    await passes(5)
    expect([bob.server.relaysAsked, alice.server.relaysAsked]).toEqual([1, 1])
    expect(bob.toasts()).not.toContain('Connection Failed')
    await passes(120)
    expect(frames('transfer-accept')).toHaveLength(6)
    expect(bob.shows(id)).toMatchObject({ stage: 'waiting', refusal: 'failed' })
    expect(bob.toasts()).toContain('Connection Failed')
    network.isUp = true
    await bob.accepts(id)
    await untilDone(bob, id)
    await isWhole(id)
  })
})

describe('A page that goes', () => {
  test('Bob’s page is loaded anew in the middle: it goes on by itself, with the chunks that are missing', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await passes(1)
    const before = bob.keys.state.kept.get(id)?.pieces.size ?? 0
    expect(before).toBeGreaterThan(10)
    bob = await reloads(bob)
    alice.keys.state.sealed.length = 0
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
    expect(alice.keys.state.sealed).toHaveLength(256 - before)
  })

  test('Alice’s page is loaded anew in the middle', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await passes(1)
    alice = await reloads(alice)
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
    await soon()
    expect(alice.shows(id)).toMatchObject({ stage: 'done', end: 'done', isHere: false })
  })

  test('Alice’s page dies without a word: Bob begins anew when she is back, whatever still seems to stand', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await passes(1)
    network.isUp = false
    alice.closes()
    await passes(0.01)
    network.isUp = true
    alice = await again(alice)
    alice.begins()
    await soon()
    expect(alice.shows(id)?.stage).toBe('moving')
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
  })

  test('Alice is away when Bob accepts: it waits for her, and begins when she is there', async () => {
    const id = await offered()
    alice.closes()
    await bob.accepts(id)
    await passes(60)
    expect(bob.shows(id)).toMatchObject({ stage: 'waiting', refusal: null })
    expect(frames('transfer-accept')).toHaveLength(1)
    alice = await again(alice)
    alice.begins()
    await untilDone(bob, id)
    await isWhole(id)
  })

  test('Bob signs out in the middle: at once nothing of it goes on, and it can in the next session', async () => {
    vi.stubGlobal('navigator', { ...navigator, locks: fakeLocks() })
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await passes(1)
    expect(bob.shows(id)?.stage).toBe('moving')
    bob.closes()
    expect(bob.shows(id)).toBe(undefined)
    expect(network.connections.filter(({ signalingState }) => signalingState === 'closed')).toHaveLength(1)
    const said = wire.said.length
    await passes(60)
    expect(wire.said.slice(said).filter(({ from }) => from === ids.bob)).toEqual([])
    bob = await again(bob)
    bob.begins()
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
  })

  test('A chat that was locked when the line broke goes on once it is unlocked', async () => {
    const { failure } = await import('../../testing/callkeys.ts')
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    bob.begins()
    await passes(1)
    const { ringCall } = bob.keys.crypto
    const locks = (lock: 'password' | 'open') =>
      bob.roomsStore.setState(({ rooms }) => ({ rooms: new Map([...rooms].map(([at, row]) => [at, { ...row, lock }])) }) as never)
    bob.keys.crypto.ringCall = () => Promise.reject(failure('room_locked'))
    bob.keys.state.isLocked = true
    locks('password')
    alice = await reloads(alice)
    await passes(300)
    expect(bob.shows(id)).toMatchObject({ stage: 'waiting', refusal: null })
    bob.keys.crypto.ringCall = ringCall
    bob.keys.state.isLocked = false
    locks('open')
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
  })

  test('What a person allows in a second tab is allowed in the tab that has it in hand', async () => {
    vi.stubGlobal('navigator', { ...navigator, locks: fakeLocks() })
    const id = await offered()
    alice.connectionStore.setState({ ingress: 'onion' })
    const second = await again(alice)
    second.begins()
    await bob.accepts(id)
    await soon()
    expect(alice.shows(id)?.refusal).toBe('leaves_tor')
    await second.does.acceptTransfer(second.env, id, { leavesTor: true, allowsDirect: true })
    await untilDone(bob, id)
    await isWhole(id)
    second.closes()
  })

  test('In a second tab it is shown, and paused; when the first one closes, the second goes on', async () => {
    vi.stubGlobal('navigator', { ...navigator, locks: fakeLocks() })
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await passes(0.5)
    const second = await again(bob)
    second.begins()
    await passes(0.5)
    expect(second.shows(id)).toMatchObject({ stage: 'moving', movedBytes: bob.shows(id)?.movedBytes })
    await second.does.pauseTransfer(second.env, id)
    await soon()
    expect(bob.shows(id)?.stage).toBe('paused')
    await second.accepts(id)
    await soon()
    expect(bob.shows(id)?.stage).toBe('moving')
    expect(network.connections).toHaveLength(2)
    bob.closes()
    bob = second
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
  })

  test('A second tab that shows the offer shows that the first one has accepted it', async () => {
    vi.stubGlobal('navigator', { ...navigator, locks: fakeLocks() })
    network.bytesPerMs = 2 * KIB
    const id = await offered(4 * 1024 * KIB)
    const second = await again(bob)
    const { content, chatRoomId, isMine } = bob.shows(id) ?? {}
    if (!content || !chatRoomId) throw new Error('Nothing was offered')
    const said = { content, chatRoomId, isMine: isMine === true, at: second.env.clock().toISOString() }
    await second.does.knowTransfer(second.env, said)
    expect(second.shows(id)?.stage).toBe('offered')
    await alice.accepts(id)
    await bob.accepts(id)
    await passes(0.5)
    expect(second.shows(id)?.stage).toBe('moving')
    second.closes()
  })

  test('An offer whose message never came into the outbox goes out after a reload, once', async () => {
    const { keepInOutbox } = alice.keys.crypto
    alice.keys.crypto.keepInOutbox = () => new Promise(() => undefined)
    void alice.offers(fileOf(SIZE))
    await soon()
    expect(alice.keys.state.posted).toEqual([])
    alice.keys.crypto.keepInOutbox = keepInOutbox
    alice = await reloads(alice)
    await soon()
    expect(alice.keys.state.posted).toHaveLength(1)
    alice = await reloads(alice)
    await soon()
    expect(alice.keys.state.posted).toHaveLength(1)
    const id = alice.keys.state.posted[0]?.id ?? ''
    await bob.sees(alice, id)
    await alice.accepts(id)
    await bob.accepts(id)
    await untilDone(bob, id)
    await isWhole(id)
  })

  test('A file that went with its tab is no offer any more', async () => {
    const id = await offered()
    alice.keys.state.kept.clear()
    localStorage.setItem(`transfers/${ids.alice}`, JSON.stringify({ [id]: {} }))
    alice = await reloads(alice)
    await soon()
    expect(wire.listed.get(id)?.end).toBe('cancelled')
    expect(bob.shows(id)).toMatchObject({ stage: 'over', end: 'cancelled' })
  })

  test('What ended while the browser was away is gone from it', async () => {
    const id = await offered()
    alice.closes()
    wire.end(id, 'expired')
    alice = await again(alice)
    alice.begins()
    await soon()
    expect(alice.shows(id)).toMatchObject({ stage: 'over', end: 'expired' })
    expect(alice.keys.state.kept.size).toBe(0)
  })
})

describe('What a person does', () => {
  test('Either side pauses, and nothing moves; whoever paused goes on', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(16 * 1024 * KIB)
    await passes(0.5)
    for (const [page, other] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      await page.does.pauseTransfer(page.env, id)
      await passes(5)
      expect(page.shows(id)?.stage).toBe('paused')
      expect(other.shows(id)).toMatchObject({ stage: 'moving', isPausedThere: true, bytesPerSecond: null })
      const before = bob.keys.state.kept.get(id)?.pieces.size
      await passes(20)
      expect(bob.keys.state.kept.get(id)?.pieces.size).toBe(before)
      await page.accepts(id)
      await soon()
      expect(other.shows(id)?.isPausedThere).toBe(false)
    }
    expect(network.connections).toHaveLength(2)
    await untilDone(bob, id)
    await isWhole(id, bob, 16 * 1024 * KIB)
  })

  test('A pause shows at once how much went over', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(16 * 1024 * KIB)
    await passes(0.5)
    await bob.does.pauseTransfer(bob.env, id)
    await passes(0.1)
    const moved = bob.keys.state.kept.get(id)?.pieces.size ?? 0
    expect(alice.shows(id)?.movedBytes).toBeGreaterThan((moved / 2) * 16 * KIB)
    expect(moved).toBeGreaterThan(20)
  })

  test('Paused by Bob, it stays paused after a reload, until he goes on', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await passes(0.5)
    await bob.does.pauseTransfer(bob.env, id)
    bob = await reloads(bob)
    await passes(30)
    expect(bob.shows(id)?.stage).toBe('paused')
    await bob.accepts(id)
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
  })

  test.each(['alice', 'bob'] as const)('Cancelled by %s in the middle, nothing is left on either side', async (who) => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await passes(0.5)
    const page = who === 'alice' ? alice : bob
    await page.does.cancelTransfer(page.env, id)
    await soon()
    for (const one of [alice, bob]) {
      expect(one.shows(id)).toMatchObject({ stage: 'over', end: 'cancelled', isHere: false })
      expect(one.keys.state.kept.size).toBe(0)
    }
    expect(network.connections.map(({ signalingState }) => signalingState)).toEqual(['closed', 'closed'])
  })

  test('Bob declines: Alice’s copy goes', async () => {
    const id = await offered()
    await bob.does.declineTransfer(bob.env, id)
    await soon()
    expect(alice.shows(id)).toMatchObject({ stage: 'over', end: 'declined', isHere: false })
    expect(alice.keys.state.kept.size).toBe(0)
    await bob.accepts(id)
    expect(network.connections).toEqual([])
  })

  test('Accepted in another browser, it is elsewhere, and nothing of it stays here', async () => {
    const id = await offered()
    wire.tell(ids.bob, null, { type: 'transfer-changed', data: { transferId: id, device: 'f'.repeat(32), end: null } })
    await soon()
    expect(bob.shows(id)).toMatchObject({ stage: 'elsewhere', isHere: false })
  })
})

describe('What is asked, and refused', () => {
  test('The address is asked about once, before anything is kept or sent', async () => {
    const id = await offered()
    await bob.accepts(id, {} as never)
    expect(bob.shows(id)).toMatchObject({ stage: 'offered', refusal: 'shows_address' })
    expect([bob.keys.state.kept.size, frames('transfer-accept').length]).toEqual([0, 0])
    await bob.accepts(id)
    await soon()
    // The sender's person answers too: this browser has one memory for both.
    await untilDone(bob, id)
    await isWhole(id)
  })

  test('One answer about the address lets all go on that was offered to Bob', async () => {
    const both = [await offered(), await offered()]
    const refusals = () => both.map((id) => alice.shows(id)?.refusal)
    expect(refusals()).toEqual(['shows_address', 'shows_address'])
    await alice.accepts(both[0] ?? '')
    expect(refusals()).toEqual([null, null])
  })

  test('What Bob has put off stays so when he lets another file of Alice, or one between him and somebody else, show his address', async () => {
    const [putOff, taken] = [await offered(), await offered()]
    for (const id of [putOff, taken]) await bob.accepts(id, {} as never)
    const known = bob.shows(putOff)
    if (!known) throw new Error('It is not known')
    const others = ['theirs', 'mine'].map((id) => {
      const one = {
        ...known,
        content: { ...known.content, transferId: id },
        chatRoomId: 'another',
        isMine: id === 'mine',
        isHere: true,
      }
      return [id, one] as const
    })
    bob.transferStore.setState(({ transfers }) => ({ transfers: new Map([...transfers, ...others]) }))
    await bob.accepts(taken)
    await soon()
    const shown = [putOff, 'theirs', 'mine'].map((id) => bob.shows(id))
    expect(shown).toEqual(shown.map(() => expect.objectContaining({ stage: 'offered', refusal: 'shows_address' })))
    expect([...bob.keys.state.kept.keys()]).not.toContain(putOff)
  })

  test('On an onion connection nothing begins until the person lets this one leave Tor', async () => {
    const id = await offered()
    await alice.accepts(id)
    bob.connectionStore.setState({ ingress: 'onion' })
    await bob.accepts(id)
    expect(bob.shows(id)?.refusal).toBe('leaves_tor')
    await bob.does.acceptTransfer(bob.env, id, { leavesTor: true, allowsDirect: true })
    await untilDone(bob, id)
    await isWhole(id)
    expect(frames('transfer-accept').at(-1)?.frame.data).toMatchObject({ leavesTor: true })
  })

  test('Where Tor is required no press lets a transfer leave it, and no connection is made', async () => {
    const id = await offered()
    bob.connectionStore.setState({ ingress: 'onion', isTorRequired: true })
    await bob.does.acceptTransfer(bob.env, id, { leavesTor: true, allowsDirect: true })
    await soon()
    expect(bob.shows(id)).toMatchObject({ stage: 'offered', refusal: 'tor_required' })
    expect(network.connections).toEqual([])
  })

  test('A browser without WebRTC refuses by name before it asks anything, and begins no attempt, on either side', async () => {
    const id = await offered()
    bob.connectionStore.setState({ ingress: 'onion' })
    const connection = globalThis.RTCPeerConnection
    vi.stubGlobal('RTCPeerConnection', undefined)
    await bob.accepts(id)
    await soon()
    expect(bob.shows(id)).toMatchObject({ stage: 'offered', refusal: 'unsupported' })
    expect(frames('transfer-accept')).toEqual([])
    vi.stubGlobal('RTCPeerConnection', connection)
    await bob.does.acceptTransfer(bob.env, id, { leavesTor: true, allowsDirect: true })
    vi.stubGlobal('RTCPeerConnection', undefined)
    await soon()
    expect(alice.shows(id)).toMatchObject({ stage: 'waiting', refusal: 'unsupported' })
    vi.stubGlobal('RTCPeerConnection', connection)
    expect(network.connections).toEqual([])
  })

  test('A question that Alice has open stays while Bob’s browser asks again', async () => {
    const id = await offered()
    localStorage.removeItem('call-address')
    await bob.accepts(id)
    localStorage.removeItem('call-address')
    await soon()
    const shown = new Set<unknown>()
    alice.transferStore.subscribe(({ transfers }) => shown.add(transfers.get(id)?.refusal))
    await passes(130)
    expect(frames('transfer-accept').length).toBeGreaterThan(2)
    expect([...shown]).toEqual(['shows_address'])
    await alice.accepts(id)
    await untilDone(bob, id)
    await isWhole(id)
  })

  test('An account that hides its address goes through the relay alone; with the day’s gigabyte used up it says so', async () => {
    bob.server.hasRelay = true
    bob.keys.state.keys.hidesAddress = true
    bob.server.refuses.set('/api/turn', 'relay_limit_reached')
    const id = await accepted()
    await soon()
    expect(bob.shows(id)).toMatchObject({ stage: 'waiting', refusal: 'relay_limit' })
    expect(network.gathered.filter((candidate) => candidate.includes('host'))).toHaveLength(0)
    bob.server.refuses.clear()
    await bob.accepts(id)
    await untilDone(bob, id)
    await isWhole(id)
    expect(bob.shows(id)?.isRelayed).toBe(true)
  })

  test('Without room for the file nothing begins; where it runs out in the middle, what is here stays', async () => {
    const id = await offered()
    const estimate = vi.fn(async () => ({ quota: 1000, usage: 900 }))
    vi.stubGlobal('navigator', { ...navigator, storage: { estimate } })
    await bob.accepts(id)
    expect(bob.shows(id)).toMatchObject({ stage: 'offered', refusal: 'no_room', isHere: false })
    estimate.mockResolvedValue({ quota: 10_000_000, usage: 0 })
    bob.keys.state.room = 10
    await alice.accepts(id)
    await bob.accepts(id)
    await passes(5)
    expect(bob.shows(id)).toMatchObject({ stage: 'waiting', refusal: 'no_room', isHere: true })
    expect(bob.keys.state.kept.get(id)?.pieces.size).toBe(10)
    bob.keys.state.room = 1000
    await bob.accepts(id)
    await untilDone(bob, id)
    await isWhole(id)
    expect(alice.keys.state.sealed.filter((number) => number < 10)).toHaveLength(10)
  })

  test.each(['offline', 'subscription_required', 'too_many_requests'] as const)(
    'An offer that the server does not take, %s, leaves no message and no copy, and the file in the dialog',
    async (code) => {
      const file = fileOf(SIZE)
      alice.transferStore.setState({ asked: { chatRoomId: alice.room.id, files: [file] } })
      if (code === 'offline') alice.server.isReachable = false
      else alice.server.refuses.set('/api/transfers', code)
      await expect(alice.offers(file)).rejects.toMatchObject({ code })
      expect(alice.transferStore.getState().asked?.files).toEqual([file])
      expect([alice.keys.state.posted, alice.keys.state.kept.size]).toEqual([[], 0])
    },
  )

  test('Exactly 100 MiB and an empty file are left out by their words', async () => {
    const large = new File([], 'large.bin')
    Object.defineProperty(large, 'size', { value: 100 * 1024 * KIB })
    await alice.offers(large, new File([], 'empty.txt'), fileOf(SIZE, '../../a\u202Eb/../film\u0007.mp4'))
    expect(alice.toasts()).toEqual(['File size must be under 100MB for P2P transfer', 'Empty File', 'File Offer Sent'])
    expect(alice.keys.state.posted).toHaveLength(1)
    expect(alice.keys.state.posted[0]?.content).toMatchObject({ name: 'film.mp4' })
  })
})

describe('A lying end', () => {
  test('Many messages of transfers that are none cost one look at the server’s list', async () => {
    const id = await offered()
    const content = alice.shows(id)?.content
    if (!content) throw new Error('It is not known')
    const looks = () => bob.server.calls.filter((call) => call === 'GET /api/transfers').length
    const before = looks()
    for (let at = 0; at < 20; at++) {
      const said = { content: { ...content, transferId: crypto.randomUUID() }, chatRoomId: bob.room.id, isMine: false }
      await bob.does.knowTransfer(bob.env, { ...said, at: new Date().toISOString() })
      await passes(0.1)
    }
    expect(looks()).toBe(before)
    await passes(10)
    await bob.does.knowTransfer(bob.env, {
      content: { ...content, transferId: crypto.randomUUID() },
      chatRoomId: bob.room.id,
      isMine: false,
      at: '2026-06-01T12:00:00Z',
    })
    expect(looks()).toBe(before + 1)
  })

  /** What Alice's page says on the control channel, changed on its way. */
  const says = (change: (message: Record<string, unknown>) => Record<string, unknown>) => {
    network.carries = (message, label) =>
      label === 'control' && typeof message === 'string' ? JSON.stringify(change(JSON.parse(message))) : message
  }

  test.each([
    ['another name', { fileName: 'other.mp4' }],
    ['another size', { fileSize: 5 }],
    ['another count', { totalChunks: 3 }],
  ])('Offers %s than the message says: refused by name, nothing is kept', async (_, lie) => {
    says((message) => (message.type === 'file-offer' ? { ...message, ...lie } : message))
    const id = await accepted()
    await soon()
    expect(bob.shows(id)).toMatchObject({ stage: 'over', end: 'forged', isHere: false })
    expect(bob.keys.state.kept.size).toBe(0)
    expect(bob.toasts()).toContain('Transfer Error')
    expect(alice.keys.state.sealed).toEqual([])
  })

  test('Other bytes of the same size: nothing is saved', async () => {
    const id = await offered()
    alice.keys.state.kept.get(id)?.pieces.set(3, new Uint8Array(16 * KIB))
    await alice.accepts(id)
    await bob.accepts(id)
    await passes(5)
    expect(bob.shows(id)).toMatchObject({ stage: 'over', end: 'forged', isHere: false })
    expect(bob.toasts()).not.toContain('File Received')
    expect(await bob.does.receivedFile(bob.env, id)).toBe(undefined)
  })

  test('Chunks that never open end it, after five rounds of them', async () => {
    network.carries = (message, label) => {
      if (label !== 'chunks' || typeof message === 'string') return message
      const other = message.slice()
      other.fill(255, 100, 200)
      return other
    }
    const id = await accepted()
    await passes(20)
    expect(bob.shows(id)).toMatchObject({ stage: 'over', end: 'forged' })
  })

  test('The file changed at Alice’s: it ends by that name on both sides', async () => {
    const id = await offered()
    alice.keys.state.hasChanged = true
    await alice.accepts(id)
    await bob.accepts(id)
    await soon()
    for (const page of [alice, bob]) expect(page.shows(id)).toMatchObject({ stage: 'over', end: 'changed', isHere: false })
  })

  test('Frames that nobody asked for are dropped, and a flood of them or of messages is not listened to', async () => {
    const id = await accepted()
    await untilDone(bob, id)
    const { receiveOver } = await import('./receiveLoop.ts')
    const said: string[] = []
    const onFailed = vi.fn()
    const opened = vi.spyOn(bob.keys.crypto, 'openChunks')
    const content = bob.shows(id)?.content
    if (!content) throw new Error('It is not known')
    const one = {
      env: bob.env,
      transferId: id,
      chatRoomId: bob.room.id,
      content,
      attempt: 1,
      isPaused: false,
      isPausedThere: false,
    }
    const channel = { isOpen: () => true, waiting: () => 0, untilRoom: async () => true, close: () => undefined }
    const control = { ...channel, send: (text: string) => said.push(text) > 0 }
    const events = { onFailed, onEnd: vi.fn(), onSilent: vi.fn(), onForged: vi.fn(), onWhole: vi.fn() }
    const mover = receiveOver(one as never, [control, control] as never, events)
    const frame = new Uint8Array(8 + 28 + 16)
    new DataView(frame.buffer).setUint32(4, 28 + 16)
    for (let at = 0; at < 8 * 1024; at++) mover.onChunk(frame.buffer)
    await soon()
    expect(opened).not.toHaveBeenCalled()
    expect(onFailed).not.toHaveBeenCalled()
    mover.onChunk(frame.buffer)
    expect(onFailed).toHaveBeenCalledOnce()
    for (let at = 0; at < 201; at++) mover.onControl('{}')
    expect(onFailed).toHaveBeenCalledTimes(2)
    mover.stop()
  })

  test('Whoever says without a pause to be there anew has Bob connect once a second', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await soon()
    const [accepts, calls] = [frames('transfer-accept').length, bob.server.calls.length]
    for (let at = 0; at < 100; at++) {
      wire.tell(ids.bob, null, { type: 'transfer-here', data: { transferId: id, to: ids.bob, from: ids.alice } })
      await passes(0.02)
    }
    expect(frames('transfer-accept').length - accepts).toBe(2)
    expect(bob.server.calls.length - calls).toBe(2)
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
  })

  test('Of an older attempt nothing is taken, and a stranger’s frames are nothing', async () => {
    network.bytesPerMs = 2 * KIB
    const id = await accepted(4 * 1024 * KIB)
    await soon()
    const data = {
      transferId: id,
      to: ids.alice,
      attempt: 1,
      signal: Buffer.alloc(32).toString('base64'),
      device: 'e'.repeat(32),
    }
    wire.tell(ids.alice, null, { type: 'transfer-accept', data: { ...data, from: ids.bob } })
    wire.tell(ids.alice, null, {
      type: 'transfer-accept',
      data: { ...data, attempt: 9, from: '30000000-0000-4000-8000-000000000003' },
    })
    wire.tell(ids.bob, null, {
      type: 'transfer-reject',
      data: { transferId: id, to: ids.bob, attempt: 0 + 1, from: '30000000-0000-4000-8000-000000000003', reason: 'again' },
    })
    await untilDone(bob, id)
    await isWhole(id, bob, 4 * 1024 * KIB)
    expect(network.connections).toHaveLength(2)
  })

  test('A number that the server makes up keeps nobody apart: the next true attempt is taken', async () => {
    const { failure } = await import('../../testing/callkeys.ts')
    const id = await offered(SIZE, alice, bob)
    await alice.accepts(id)
    alice.keys.state.keys.fails.answer.push(failure('call_forged'))
    const signal = Buffer.alloc(32).toString('base64')
    const made = { transferId: id, to: ids.alice, from: ids.bob, attempt: 9000, signal, device: 'e'.repeat(32) }
    wire.tell(ids.alice, null, { type: 'transfer-accept', data: made })
    await soon()
    await bob.accepts(id)
    await untilDone(bob, id)
    await isWhole(id)
  })

  test('The room has moved on: it is answered anew, three times, and then said', async () => {
    const { failure } = await import('../../testing/callkeys.ts')
    bob.keys.state.keys.fails.accept.push(failure('epoch'), failure('epoch'))
    const id = await accepted()
    await untilDone(bob, id)
    await isWhole(id)
    const epochs = () => wire.said.filter(({ frame }) => frame.type === 'transfer-reject' && frame.data.reason === 'epoch').length
    // The first is answered by catching up.
    expect(epochs()).toBe(1)
    bob.keys.state.keys.fails.accept.push(...Array.from({ length: 20 }, () => failure('epoch')))
    const other = await accepted()
    await soon()
    expect(bob.shows(other)).toMatchObject({ stage: 'waiting', refusal: 'failed' })
    expect(epochs()).toBe(4)
    const answers = frames('transfer-answer').filter(({ frame: { data } }) => 'transferId' in data && data.transferId === other)
    expect(answers).toHaveLength(4)
  })
})

test.each([
  ['no JSON', '{'],
  ['another transfer', JSON.stringify({ type: 'file-cancel', transferId: '90000000-0000-4000-8000-000000000009' })],
  ['ranges beyond the file', { type: 'file-missing', have: 0, ranges: [[0, 20]] }],
  [
    'ranges that overlap',
    {
      type: 'file-missing',
      have: 0,
      ranges: [
        [0, 5],
        [4, 6],
      ],
    },
  ],
  ['ranges that run backwards', { type: 'file-missing', have: 0, ranges: [[5, 4]] }],
  ['halves', { type: 'file-missing', have: 0, ranges: [[0, 1.5]] }],
  [
    'more ranges than one message has',
    { type: 'file-missing', have: 0, ranges: Array.from({ length: 1001 }, (_, at) => [at * 2, at * 2 + 1]) },
  ],
  ['a type of its own', { type: 'file-run' }],
])('A control message with %s is none', async (_, message) => {
  const { readControl } = await import('./controlMessages.ts')
  const transferId = '80000000-0000-4000-8000-000000000008'
  const text = typeof message === 'string' ? message : JSON.stringify({ transferId, ...message })
  expect(readControl(text, transferId, 19)).toBe(undefined)
  expect(
    readControl(
      JSON.stringify({
        type: 'file-missing',
        transferId,
        have: 0,
        ranges: [
          [0, 5],
          [5, 19],
        ],
      }),
      transferId,
      19,
    ),
  ).toBeDefined()
})
