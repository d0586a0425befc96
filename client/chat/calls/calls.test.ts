import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { decodeFields, encodeFields, fromBase64, fromUtf8, toBase64 } from '../../../contract/ground/bytes.ts'
import { openBrowser } from '../../testing/browser.ts'
import { failure } from '../../testing/callkeys.ts'
import { type CallPage, openCallPage } from '../../testing/callpage.ts'
import { type CallWire, callWire } from '../../testing/callwire.ts'
import { type MediaWorld, openMediaWorld } from '../../testing/mediaworld.ts'
import type { Network } from '../../testing/rtc.ts'
import { FakeStream } from '../../testing/tracks.ts'

let wire: CallWire
let network: Network
let media: MediaWorld
let alice: CallPage
let bob: CallPage

const ids = { alice: '10000000-0000-4000-8000-000000000001', bob: '20000000-0000-4000-8000-000000000002' }
const errors = vi.fn()

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  vi.setSystemTime('2026-06-01T12:00:00Z')
  onTestFinished(openBrowser())
  errors.mockReset()
  vi.spyOn(console, 'error').mockImplementation(errors)
  ;({ network, media } = openMediaWorld())
  wire = callWire()
  alice = await openCallPage(wire, { userId: ids.alice, otherId: ids.bob })
  bob = await openCallPage(wire, { userId: ids.bob, otherId: ids.alice })
})

afterEach(() => {
  for (const page of [alice, bob]) expect(page.failures).toEqual([])
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const passes = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)
const soon = () => passes(0.5)

async function rings(callType: 'voice' | 'video' = 'voice') {
  await alice.rings(callType)
  await soon()
}

async function talks(callType: 'voice' | 'video' = 'voice') {
  await rings(callType)
  await bob.accepts(callType === 'video')
  await soon()
}

const outcomes = (page: CallPage) => page.lines().map((line) => line?.outcome)
const areFree = () => expect(media.tracks.filter(({ readyState }) => readyState === 'live')).toEqual([])

/** The camera or screen, and the microphone, that the page's newest connection sends. */
const sent = (at: number) =>
  network.connections
    .at(at)
    ?.getSenders()
    .map(({ track }) => track?.label ?? null)

describe('A call that is taken', () => {
  test('Alice rings, Bob accepts: both see the state of the specification, the time begins when both are connected', async () => {
    const starting = alice.rings('voice')
    expect(alice.state()).toMatchObject({
      phase: 'starting',
      isInCall: true,
      isInitiator: true,
      callType: 'voice',
      participants: [ids.bob],
    })
    await starting
    expect(alice.state().phase).toBe('calling')
    await soon()
    expect(alice.toasts()).toEqual(['Call Started Successfully'])
    expect(bob.state()).toMatchObject({
      phase: 'incoming',
      isInCall: false,
      isInitiator: false,
      callType: 'voice',
      participants: [ids.alice],
    })
    // Nothing goes to the other browser before Accept.
    expect(network.connections).toEqual([])
    await bob.accepts()
    await soon()
    for (const page of [alice, bob]) {
      expect(page.state()).toMatchObject({ phase: 'live', isInCall: true, isAudioEnabled: true, isVideoEnabled: false })
      expect(page.state().callStartTime).toBeGreaterThan(0)
      expect(page.state().remoteStreams[page.otherId]).toBeInstanceOf(FakeStream)
      expect(page.state().words).toHaveLength(4)
    }
    expect(alice.state().words).toEqual(bob.state().words)
    await passes(60)
    await alice.ends()
    await soon()
    expect(alice.state()).toMatchObject({ phase: 'idle', isInCall: false, localStream: null })
    expect(bob.state()).toMatchObject({ phase: 'over', isInCall: false, over: { why: 'ended' } })
    areFree()
    expect(network.connections.map(({ signalingState }) => signalingState)).toEqual(['closed', 'closed'])
    expect(alice.lines()).toEqual([expect.objectContaining({ outcome: 'answered', callType: 'voice', isCompared: false })])
    expect(alice.lines()[0]?.seconds).toBeGreaterThanOrEqual(60)
    expect(bob.lines()).toEqual([])
    bob.dismiss()
    expect(bob.state().phase).toBe('idle')
  })

  test('Both beat every ten seconds from the answer on, and not before', async () => {
    await rings()
    await passes(20)
    const beats = () => wire.said.filter(({ frame }) => frame.type === 'call-beat').length
    expect(beats()).toBe(0)
    await bob.accepts()
    await soon()
    const before = beats()
    await passes(30)
    expect(beats() - before).toBe(6)
  })

  test('A video call shows camera and microphone, and Bob may take it by voice', async () => {
    await rings('video')
    expect(alice.state()).toMatchObject({ isVideoEnabled: true })
    await bob.accepts(false)
    await soon()
    expect(bob.state()).toMatchObject({ phase: 'live', callType: 'video', isVideoEnabled: false, otherVideo: 'camera' })
    expect(alice.state()).toMatchObject({ otherVideo: 'off', isOtherMuted: false })
  })

  test('Camera off sends no frames at all, and its device is free; on again it is the same connection', async () => {
    await talks('video')
    expect(sent(1)).toEqual(['Microphone of the laptop', 'Camera of the laptop'])
    const [, camera] = media.tracks
    await alice.does.toggleVideo(alice.env)
    await soon()
    expect(sent(1)).toEqual(['Microphone of the laptop', null])
    expect(camera?.readyState).toBe('ended')
    expect(bob.state().otherVideo).toBe('off')
    await alice.does.toggleVideo(alice.env)
    await soon()
    expect(sent(1)).toEqual(['Microphone of the laptop', 'Camera of the laptop'])
    expect(bob.state().otherVideo).toBe('camera')
    expect(wire.said.filter(({ frame }) => frame.type === 'call-offer')).toHaveLength(1)
  })

  test('Muted, the microphone is silent, and the other end shows it', async () => {
    await talks()
    await alice.does.toggleAudio(alice.env)
    await soon()
    expect(alice.state().isAudioEnabled).toBe(false)
    expect(bob.state().isOtherMuted).toBe(true)
    await alice.does.toggleAudio(alice.env)
    await soon()
    expect([alice.state().isAudioEnabled, bob.state().isOtherMuted]).toEqual([true, false])
  })

  test('A screen takes the camera’s place with its sound, and the browser’s own button gives the camera back', async () => {
    media.hasScreenSound = true
    await talks('video')
    await alice.does.shareScreen(alice.env)
    await soon()
    expect(sent(1)).toEqual(['The mix', 'The screen'])
    expect([alice.state().isSharing, bob.state().otherVideo]).toEqual([true, 'screen'])
    media.tracks.find(({ label }) => label === 'The screen')?.ends()
    await soon()
    expect(sent(1)).toEqual(['Microphone of the laptop', 'Camera of the laptop'])
    expect([alice.state().isSharing, bob.state().otherVideo]).toEqual([false, 'camera'])
    await alice.does.shareScreen(alice.env)
    await alice.does.stopShare(alice.env)
    await soon()
    expect(sent(1)).toEqual(['Microphone of the laptop', 'Camera of the laptop'])
    await alice.ends()
    await soon()
    areFree()
  })

  test('They match is told to Bob and noted in the line; they differ ends the call and stops sending', async () => {
    await talks()
    alice.does.wordsMatch(alice.env)
    expect(alice.state().isCompared).toBe(true)
    await alice.ends()
    await soon()
    expect(alice.lines()[0]?.isCompared).toBe(true)
    bob.dismiss()
    await talks()
    await bob.does.wordsDiffer(bob.env)
    await soon()
    expect(bob.state().over?.why).toBe('words')
    expect(bob.keys.state.differs).toEqual([ids.alice])
    expect(alice.state().over).toMatchObject({ why: 'words' })
  })
})

describe('A call that is not taken', () => {
  test('Nobody answers for 45 seconds: it is over for both, and the line says so', async () => {
    await rings()
    await passes(43)
    expect([alice.state().phase, bob.state().phase]).toEqual(['calling', 'incoming'])
    await passes(3)
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'no_answer' } })
    expect(bob.state().phase).toBe('idle')
    expect(outcomes(alice)).toEqual(['no_answer'])
    areFree()
  })

  test('Bob declines', async () => {
    await rings()
    await bob.declines()
    await soon()
    expect(bob.state().phase).toBe('idle')
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'declined' } })
    expect(outcomes(alice)).toEqual(['declined'])
  })

  test('Bob presses Accept twice: it is answered once, and they talk', async () => {
    await rings()
    await Promise.all([bob.accepts(), bob.accepts()])
    await soon()
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
    // One microphone of each.
    expect(media.tracks).toHaveLength(2)
    await alice.ends()
    await soon()
    areFree()
  })

  test('Alice thinks better of it: Bob’s dialog closes', async () => {
    await rings()
    await alice.ends()
    await soon()
    expect([alice.state().phase, bob.state().phase]).toEqual(['idle', 'idle'])
    expect(outcomes(alice)).toEqual(['cancelled'])
  })

  test('Bob is in a call: Carol is told that he is busy, and he sees no dialog', async () => {
    await talks()
    const carol = await openCallPage(wire, { userId: randomUUID(), otherId: ids.bob })
    const room = { ...bob.room, id: 'another', memberIds: [carol.userId, ids.bob] }
    bob.roomsStore.setState(({ rooms }) => ({ rooms: new Map([...rooms, [room.id, room]]) }))
    await carol.rings()
    await soon()
    expect(bob.state()).toMatchObject({ phase: 'live', participants: [ids.alice] })
    expect(carol.state()).toMatchObject({ phase: 'over', over: { why: 'busy' } })
    expect(outcomes(carol)).toEqual(['busy'])
  })

  test('A stranger, and somebody whom Bob has blocked, ring for nobody', async () => {
    const block = () =>
      bob.roomsStore.setState({
        rooms: new Map([[bob.room.id, { ...bob.room, direct: { ...bob.room.direct, isBlocked: true } }]]),
      })
    for (const change of [block, () => bob.roomsStore.setState({ rooms: new Map() })]) {
      change()
      await rings()
      expect(bob.state().phase).toBe('idle')
      await alice.ends()
      await soon()
    }
  })

  test('The ringing is silenced here, and goes on', async () => {
    await rings()
    bob.does.silenceRing()
    expect(bob.state()).toMatchObject({ phase: 'incoming', isSilenced: true })
  })

  test('Alice is muted while it rings, and stays so', async () => {
    await rings()
    await alice.does.toggleAudio(alice.env)
    await bob.accepts()
    await soon()
    expect(alice.state()).toMatchObject({ phase: 'live', isAudioEnabled: false })
    expect(bob.state().isOtherMuted).toBe(true)
  })

  test('Bob takes it in one of two tabs: the other stops ringing, and hears nothing of the call', async () => {
    const tab = await openCallPage(wire, { userId: ids.bob, otherId: ids.alice })
    await rings()
    expect([bob.state().phase, tab.state().phase]).toEqual(['incoming', 'incoming'])
    await tab.accepts()
    await soon()
    expect(bob.state().phase).toBe('idle')
    expect(bob.toasts()).toEqual(['Answered elsewhere: You took this call in another tab or browser.'])
    expect([alice.state().phase, tab.state().phase]).toEqual(['live', 'live'])
    await bob.accepts()
    expect(bob.state().phase).toBe('idle')
  })

  test('Bob’s browser was locked when the chat was opened there: the chat is locked, so it rings on until he unlocks it', async () => {
    await rings()
    bob.keys.state.fails.answer.push(failure('room_locked'))
    await bob.accepts()
    await soon()
    expect(bob.state()).toMatchObject({ phase: 'incoming', isInCall: false, localStream: null })
    expect(bob.toasts()).toEqual(['Voice Call Failed: This chat is locked. Unlock it, then accept.'])
    expect(bob.underway.isUnderway()).toBe(false)
    await bob.accepts()
    await soon()
    expect(bob.state().phase).toBe('live')
  })
})

describe('A call that fails', () => {
  const failures: [string, string, string][] = [
    ['the permission is denied', 'NotAllowedError', 'Camera/microphone access denied. Please allow permissions and try again.'],
    ['there is no device', 'NotFoundError', 'No camera or microphone found. Please check your devices.'],
    ['the device is in use', 'NotReadableError', 'Camera or microphone is already in use by another application.'],
    ['the browser gives another reason', 'TypeError', 'Media error: TypeError'],
  ]
  test.each(failures)('Because %s: nobody is rung, and the words are the specification’s', async (_, name, words) => {
    media.refuses = new DOMException(name, name)
    await rings('video')
    expect(alice.state().phase).toBe('idle')
    expect(alice.toasts()).toEqual([`Video Call Failed: ${words}`])
    expect(wire.said).toEqual([])
    await alice.rings('voice')
    expect(alice.toasts()).toContain(`Voice Call Failed: ${words}`)
  })

  test('Because the browser knows no calls', async () => {
    vi.stubGlobal('navigator', { userAgent: 'A test' })
    await rings('video')
    expect(alice.toasts()).toEqual(['Video Call Failed: Video calling is not supported in this browser.'])
  })

  test.each(failures)('When Bob accepts and %s: the call is rejected, and Alice is told', async (_, name, words) => {
    await rings()
    media.refuses = new DOMException(name, name)
    await bob.accepts()
    await soon()
    expect(bob.toasts()).toEqual([`Voice Call Failed: ${words}`])
    expect(bob.state().phase).toBe('idle')
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'failed' } })
    expect(outcomes(alice)).toEqual(['failed'])
  })

  test('Because the socket is not open: the console has the specification’s error', async () => {
    alice.socket.breaks()
    const ringing = rings()
    await passes(6)
    await ringing
    expect(errors).toHaveBeenCalledWith('WebSocket not connected for video call')
    expect(alice.toasts()).toEqual(['Voice Call Failed: You are not connected. Try again once the connection is back.'])
    expect(alice.state().phase).toBe('idle')
  })

  test('Not because the socket closes in the moment of the press: Bob is rung when it is back', async () => {
    alice.socket.breaks()
    const ringing = alice.rings()
    await passes(3)
    expect([alice.state().phase, media.tracks]).toEqual(['starting', []])
    alice.socket.comesBack()
    await ringing
    await soon()
    expect([alice.state().phase, bob.state().phase, alice.toasts()]).toEqual([
      'calling',
      'incoming',
      ['Call Started Successfully'],
    ])
  })

  test('Nor because a socket that was dying took the ring: it is sent again, once', async () => {
    // The pages share one, and Bob’s would take the call for his own.
    Object.defineProperty(sessionStorage, 'setItem', { value: () => undefined, enumerable: false })
    const { send } = alice.socket
    alice.socket.send = () => true
    await rings()
    expect([alice.state().phase, bob.state().phase]).toEqual(['calling', 'idle'])
    alice.socket.breaks()
    alice.socket.send = send
    alice.socket.comesBack()
    await soon()
    expect(bob.state().phase).toBe('incoming')
    alice.socket.comesBack()
    await soon()
    expect(wire.said.filter(({ frame }) => frame.type === 'call-offer')).toHaveLength(1)
    await bob.accepts()
    await soon()
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
  })

  test('Who ends a call that waits for the socket waits for nothing', async () => {
    alice.socket.breaks()
    const ringing = alice.rings()
    await alice.ends()
    await ringing
    alice.socket.comesBack()
    await passes(6)
    expect([alice.state().phase, alice.toasts(), wire.said]).toEqual(['idle', [], []])
  })

  test('Because the server refuses: its words are shown, and there is no line', async () => {
    wire.refuses = () => ({ code: 'call_minutes_reached', error: 'The call minutes of this month’s plan are used up' })
    await rings()
    expect(alice.state().phase).toBe('idle')
    expect(alice.toasts()).toEqual(['Voice Call Failed: The call minutes of this month’s plan are used up'])
    expect(alice.lines()).toEqual([])
    areFree()
  })

  test('A free account starts none', async () => {
    alice.accountStore.setState({ user: { id: ids.alice, subscriptionTier: 'free' } as never })
    await rings()
    expect([alice.state().phase, wire.said.length]).toEqual(['idle', 0])
    await bob.rings()
    await soon()
    await alice.accepts()
    await soon()
    expect(alice.state().phase).toBe('live')
  })

  test('Her key has changed: nothing is told, and the words are those of sending', async () => {
    await rings()
    bob.keys.state.fails.answer.push(failure('key_changed', 'This person’s key has changed'))
    await bob.accepts()
    await soon()
    expect(bob.toasts()).toEqual(['Voice Call Failed: This person’s key has changed'])
    expect(alice.state().phase).toBe('over')
    alice.dismiss()
    await alice.rings()
    alice.keys.state.fails.accept.push(failure('fork', 'Two device lists have the same number'))
    await soon()
    await bob.accepts()
    await soon()
    expect(alice.state().over).toEqual({ why: 'failed', words: 'Two device lists have the same number' })
    expect(bob.state().phase).toBe('over')
  })

  test('The server shows Bob another key of hers: he takes no call of hers before he has decided, as he sends nothing', async () => {
    await rings()
    const peers = [{ id: ids.alice, username: 'alice', isDeleted: false, identityKey: 'another key', manifestVersion: 1 }]
    bob.roomsStore.setState({ rooms: new Map([[bob.room.id, { ...bob.room, peers }]]) })
    const standing = { mismatch: 'key_changed' as const, version: 1, isBookRead: true }
    bob.keys.crypto.peerStanding = async () => standing
    await bob.accepts()
    await soon()
    expect(bob.toasts()).toEqual(['Voice Call Failed: This person’s key has changed. Nothing is sent until you decide.'])
    expect([alice.state().phase, bob.state().phase]).toEqual(['over', 'idle'])
    expect(wire.said.filter(({ frame }) => frame.type === 'call-answer')).toEqual([])
  })

  test('A certificate that was swapped on the way ends the call by name, at the end that sees it', async () => {
    wire.lies = (frame) => {
      if (frame.type !== 'call-signal') return frame
      const [kind, n, text] = decodeFields(fromBase64(frame.data.signal)).map(fromUtf8)
      const swapped = encodeFields(kind ?? '', n ?? '', text?.replace(/sha-256 ../, 'sha-256 00') ?? '')
      return { ...frame, data: { ...frame.data, signal: toBase64(swapped) } }
    }
    await talks()
    expect(bob.state()).toMatchObject({ phase: 'over', over: { why: 'forged' } })
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'failed' } })
    expect(network.connections.every(({ connectionState }) => connectionState !== 'connected')).toBe(true)
  })

  test('An answer to another epoch is refused, and given anew', async () => {
    await rings()
    alice.keys.state.fails.accept.push(failure('epoch'), failure('epoch'), failure('epoch'))
    await bob.accepts()
    await soon()
    expect(wire.said.filter(({ frame }) => frame.type === 'call-answer').length).toBeGreaterThan(1)
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
  })

  test('Frames of a call that the page does not know, from somebody else, or of an older attempt change nothing', async () => {
    await talks()
    const { callId } = alice.state()
    const frames = [
      { type: 'call-end', data: { callId: randomUUID(), to: ids.alice, from: ids.bob, reason: 'ended' } },
      { type: 'call-end', data: { callId: callId ?? '', to: ids.alice, from: randomUUID(), reason: 'ended' } },
      { type: 'call-reject', data: { callId: callId ?? '', to: ids.alice, from: randomUUID(), attempt: 1, reason: 'declined' } },
      { type: 'call-reject', data: { callId: callId ?? '', to: ids.alice, from: ids.bob, attempt: 1, reason: 'declined' } },
    ] as const
    const { receiveCall } = await import('./receiveCall.ts')
    for (const frame of frames) await receiveCall(alice.env, frame)
    await soon()
    expect(alice.state().phase).toBe('live')
  })
})

/** How often the caller has looked for another way. */
const restarts = () =>
  Math.max(
    ...network.connections.map(({ localDescription }) =>
      Number(/^a=ice-ufrag:.*\/(\d+)/m.exec(localDescription?.sdp ?? '')?.[1]),
    ),
  )

describe('A call in trouble', () => {
  test('The way breaks: both show since when, and another one is found without a new attempt', async () => {
    await talks()
    const started = alice.state().callStartTime
    network.cut()
    await passes(6.5)
    for (const page of [alice, bob])
      expect(page.state()).toMatchObject({ phase: 'reconnecting', reconnectingSince: expect.any(Number) })
    network.isUp = true
    await passes(8)
    for (const page of [alice, bob])
      expect(page.state()).toMatchObject({ phase: 'live', reconnectingSince: null, callStartTime: started })
  })

  test('The network of Bob is another one: he asks, and Alice looks for another way on the same connection', async () => {
    await talks()
    const before = network.connections.length
    const { onNetwork } = await import('./attempts.ts')
    const { liveCall } = await import('./liveCall.ts')
    const call = liveCall()
    if (call) onNetwork(call)
    await soon()
    expect(network.connections.length).toBe(before)
    expect(wire.said.filter(({ frame }) => frame.type === 'call-signal').length).toBeGreaterThan(4)
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
  })

  test('Without a connection for 5 seconds there is another attempt with other certificates, and nothing of the older is taken', async () => {
    let lost = 0
    wire.lies = (frame) => {
      if (frame.type !== 'call-signal' || frame.data.attempt > 1) return frame
      lost += 1
      return null
    }
    await talks()
    expect([alice.state().phase, bob.state().phase]).toEqual(['connecting', 'connecting'])
    await passes(6)
    expect(lost).toBeGreaterThan(0)
    for (const page of [alice, bob]) expect(page.state().phase).toBe('live')
    expect(wire.said.flatMap(({ frame }) => (frame.type === 'call-offer' ? [frame.data.attempt] : []))).toEqual([1, 2])
    expect(bob.toasts()).toEqual([])
  })

  test('The answer is lost: Bob asks for another attempt, and takes it by himself', async () => {
    wire.lies = (frame) => (frame.type === 'call-answer' && frame.data.attempt === 1 ? null : frame)
    await talks()
    await passes(10)
    for (const page of [alice, bob]) expect(page.state().phase).toBe('live')
  })

  test('The server is away for 20 seconds: media goes on, and nobody ends the call', async () => {
    await talks()
    for (const page of [alice, bob]) page.socket.breaks()
    await passes(20)
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
    const beats = wire.said.length
    for (const page of [alice, bob]) page.socket.comesBack()
    await soon()
    expect(wire.said.slice(beats).filter(({ frame }) => frame.type === 'call-beat')).toHaveLength(2)
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
  })

  test('The server is back, and Alice’s socket long before Bob’s: media goes on by the same attempt, and the way is looked for with both', async () => {
    await talks()
    const { callId } = alice.state()
    const words = alice.state().words
    for (const page of [alice, bob]) page.socket.breaks()
    alice.socket.comesBack()
    await passes(20)
    expect(alice.state()).toMatchObject({ phase: 'live', callId, words })
    bob.socket.comesBack()
    await passes(6)
    for (const page of [alice, bob]) expect(page.state()).toMatchObject({ phase: 'live', callId, words })
    expect(network.connections.map(({ signalingState }) => signalingState)).toEqual(['stable', 'stable'])
    expect(restarts()).toBe(1)
  })

  test.each(['Alice', 'Bob'] as const)(
    'The address of %s is another one: as soon as the socket is back another way is looked for, before a browser says that the old one broke',
    async (name) => {
      await talks()
      network.cut()
      const { socket } = name === 'Alice' ? alice : bob
      socket.breaks()
      await passes(1)
      network.isUp = true
      socket.comesBack()
      await soon()
      expect(restarts()).toBe(1)
      await passes(20)
      for (const page of [alice, bob]) expect(page.state()).toMatchObject({ phase: 'live' })
    },
  )

  test('A line of another kind is another network; another speed of it is none', async () => {
    const line = Object.assign(new EventTarget(), { type: 'wifi' })
    Object.assign(navigator, { connection: line })
    await talks()
    line.dispatchEvent(new Event('change'))
    await soon()
    expect(restarts()).toBe(0)
    line.type = 'cellular'
    line.dispatchEvent(new Event('change'))
    await soon()
    expect(restarts()).toBeGreaterThan(0)
  })

  test('Bob’s browser has died: after 8 seconds the server says so, else Alice’s page after 30', async () => {
    await talks()
    wire.ends(alice.state().callId ?? '', 'lost')
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'left' } })
    alice.dismiss()
    bob.dismiss()
    await talks()
    network.cut()
    bob.socket.breaks()
    await passes(40)
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'left' } })
    expect(outcomes(alice)).toEqual(['answered', 'answered'])
  })

  test('The two never connect: after 30 seconds it is over, by name', async () => {
    network.isUp = false
    await talks()
    await passes(31)
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'failed' } })
    expect(bob.state()).toMatchObject({ phase: 'over', over: { why: 'failed' } })
    expect(outcomes(alice)).toEqual(['failed'])
    areFree()
  })

  test('The minutes are used up', async () => {
    await talks()
    wire.ends(alice.state().callId ?? '', 'minutes')
    expect(alice.state().over).toEqual({ why: 'minutes', words: 'The call minutes of this month’s plan are used up.' })
    expect(bob.state().over?.why).toBe('minutes')
  })

  test('A microphone that is unplugged is replaced by what is left, and the page says so', async () => {
    await talks()
    const [microphone] = media.tracks
    media.microphones.shift()
    microphone?.ends()
    await soon()
    expect(sent(1)?.[0]).toBe('Headset')
    expect(alice.toasts()).toContain('Microphone unplugged: Now in use: Headset.')
    media.microphones.shift()
    media.tracks.at(-1)?.ends()
    await soon()
    expect(sent(1)?.[0]).toBeNull()
    expect(alice.toasts()).toContain('Microphone unplugged: No other microphone was found.')
    expect(bob.state().isOtherMuted).toBe(true)
    expect(alice.state().phase).toBe('live')
  })

  test('A chosen device is used at once and remembered; one that is not there today is no reason to fail', async () => {
    await talks()
    await alice.does.chooseDevice(alice.env, 'microphone', 'Headset')
    await soon()
    expect(sent(1)?.[0]).toBe('Headset')
    await alice.ends()
    await soon()
    bob.dismiss()
    expect(await alice.does.listDevices()).toMatchObject({ chosen: { microphone: 'Headset' }, hasNoiseSuppression: true })
    media.microphones.pop()
    await talks()
    expect(sent(-1)?.[0]).toBe('Microphone of the laptop')
  })
})

describe('What a server that lies can do', () => {
  test('Two later rings at once are one dialog, and the call that came first keeps its devices and its end', async () => {
    const { receiveCall } = await import('./receiveCall.ts')
    const { liveCall } = await import('./liveCall.ts')
    const offer = (callId: string, attempt: number) => ({
      ...{ callId, attempt, to: ids.bob, from: ids.alice, device: '1'.repeat(32), callType: 'voice' as const },
      signal: toBase64(new Uint8Array(32)),
    })
    const [first, second] = [randomUUID(), randomUUID()]
    const rung = [offer(first, 2), offer(second, 2), offer(first, 3)]
    await Promise.all(rung.map((data) => receiveCall(bob.env, { type: 'call-offer', data })))
    expect(bob.state()).toMatchObject({ phase: 'incoming', callId: first })
    expect(liveCall()).toMatchObject({ callId: first, attempt: 3 })
    await passes(1)
    expect(wire.said).toEqual([
      { from: ids.bob, frame: { type: 'call-reject', data: { callId: second, to: ids.alice, attempt: 2, reason: 'busy' } } },
    ])
    // Its end is not another ring.
    await receiveCall(bob.env, { type: 'call-end', data: { callId: first, to: ids.bob, from: ids.alice, reason: 'ended' } })
    await receiveCall(bob.env, { type: 'call-offer', data: offer(first, 4) })
    expect(bob.state().phase).toBe('idle')
  })

  test('It cannot make a browser that rings ask for a relay, nor say again and again that a call has started', async () => {
    await rings()
    const { receiveCall } = await import('./receiveCall.ts')
    await receiveCall(bob.env, { type: 'call-success', data: { callId: bob.state().callId ?? '' } })
    await soon()
    expect([bob.relay.asked, bob.toasts()]).toEqual([0, []])
  })

  test('Signals before the offer fill no memory', async () => {
    await rings()
    const opened = vi.spyOn(bob.keys.crypto, 'openSignal')
    let offer = ''
    wire.lies = (frame) => {
      if (frame.type !== 'call-signal') return frame
      offer ||= frame.data.signal
      return null
    }
    await bob.accepts()
    await soon()
    const { liveCall } = await import('./liveCall.ts')
    const early = toBase64(encodeFields('candidates', '2', '[]'))
    for (let n = 0; n < 1000; n++) liveCall()?.link?.takeSignal(early)
    liveCall()?.link?.takeSignal(offer)
    await soon()
    expect(opened.mock.calls.length).toBeGreaterThan(1)
    expect(opened.mock.calls.length).toBeLessThan(100)
  })
})

describe('What is opened is freed', () => {
  const waiting = () => {
    let go: () => void = () => undefined
    media.waits = new Promise((resolve) => {
      go = resolve
    })
    return async () => {
      go()
      media.waits = undefined
      await soon()
    }
  }

  /** Alice’s call waits for its chat, before its devices are opened. */
  const waitingForChat = () => {
    let go: () => void = () => undefined
    alice.keys.crypto.roomNeed = () =>
      new Promise((resolve) => {
        go = () => resolve({ need: 'ready', cursor: 0, isPending: false, isForked: false } as never)
      })
    return () => go()
  }

  test('A button of the view pressed before the call has its devices opens none that stays open', async () => {
    const isReady = waitingForChat()
    const ringing = alice.rings('video')
    await soon()
    await alice.does.toggleVideo(alice.env)
    isReady()
    await ringing
    expect(alice.state()).toMatchObject({ phase: 'calling', isVideoEnabled: true })
    expect(media.tracks.filter(({ readyState }) => readyState === 'live')).toHaveLength(2)
    await alice.ends()
    areFree()
  })

  test('A call that ends while a page that came back opens its devices leaves none open', async () => {
    await talks('video')
    const { userId, otherId, keys } = alice
    const known = sessionStorage.getItem('call') ?? ''
    alice.socket.breaks()
    const next = await openCallPage(wire, { userId, otherId, keys })
    sessionStorage.setItem('call', JSON.stringify({ ...JSON.parse(known), isCaller: true, hasCamera: true }))
    const before = media.tracks.length
    const allows = waiting()
    void next.resumes()
    await soon()
    expect(next.state().phase).toBe('reconnecting')
    await next.ends()
    await allows()
    expect(media.tracks.length).toBeGreaterThan(before)
    expect(media.tracks.slice(before).filter(({ readyState }) => readyState === 'live')).toEqual([])
  })

  test('Who thinks better of it before the devices are opened is not asked for them', async () => {
    const isReady = waitingForChat()
    const ringing = alice.rings('video')
    await soon()
    await alice.ends()
    isReady()
    await ringing
    expect(media.tracks).toEqual([])
  })

  test('Asked for a screen twice, one is shared and the other let go', async () => {
    await talks()
    await Promise.all([alice.does.shareScreen(alice.env), alice.does.shareScreen(alice.env)])
    const screens = () => media.tracks.filter(({ label, readyState }) => label === 'The screen' && readyState === 'live')
    expect(screens()).toHaveLength(1)
    await alice.does.stopShare(alice.env)
    expect(screens()).toEqual([])
  })

  test('Who mutes while another microphone is opened stays muted', async () => {
    await talks()
    const allows = waiting()
    const changed = alice.does.chooseDevice(alice.env, 'microphone', 'Headset')
    await alice.does.toggleAudio(alice.env)
    await allows()
    await changed
    expect(sent(1)?.[0]).toBe('Headset')
    expect(media.tracks.at(-1)).toMatchObject({ label: 'Headset', enabled: false })
    expect(alice.state().isAudioEnabled).toBe(false)
  })

  test('A microphone that is opened while a screen is shared is heard with its sound', async () => {
    media.hasScreenSound = true
    media.microphones.length = 1
    await talks()
    await alice.does.shareScreen(alice.env)
    media.microphones.length = 0
    media.tracks[0]?.ends()
    await soon()
    expect(alice.state().isAudioEnabled).toBe(false)
    media.microphones.push('Headset')
    await alice.does.toggleAudio(alice.env)
    expect(media.mixed.at(-1)).toBe('Headset')
  })
})

describe('Another attempt', () => {
  const breaks = async () => {
    wire.lies = (frame) => (frame.type === 'call-signal' ? null : frame)
    await talks()
    expect(alice.state().phase).toBe('connecting')
  }

  test('That Alice cannot make, because the chat has locked itself: the call ends by name at both ends', async () => {
    await breaks()
    alice.keys.crypto.ringCall = async () => {
      throw failure('room_locked', 'This chat is locked')
    }
    await passes(6)
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'failed', words: 'This chat is locked' } })
    expect(bob.state()).toMatchObject({ phase: 'over', over: { why: 'failed' } })
    areFree()
  })

  test('That Bob cannot take: the call ends by name, and a newer attempt is not ended by an older one', async () => {
    await breaks()
    bob.keys.state.fails.answer.push(failure('call_over'), failure('key_changed', 'This person’s key has changed'))
    await passes(6)
    expect(bob.state().phase).toBe('connecting')
    await passes(6)
    expect(bob.state()).toMatchObject({ phase: 'over', over: { why: 'failed', words: 'This person’s key has changed' } })
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'failed' } })
    areFree()
  })
})

describe('What ends a call from outside', () => {
  test('Lock now ends it by name', async () => {
    await talks()
    expect(alice.underway.isUnderway()).toBe(true)
    alice.underway.endUnderway('locked')
    await soon()
    expect(bob.state()).toMatchObject({ phase: 'over', over: { why: 'locked' } })
    expect(alice.underway.isUnderway()).toBe(false)
    areFree()
  })

  test('A sign-out ends it', async () => {
    await talks()
    bob.underway.endUnderway('ended')
    await soon()
    expect(alice.state()).toMatchObject({ phase: 'over', over: { why: 'ended' } })
  })

  test('A chat that locks itself in its call does not end it, and its line waits until the chat is open', async () => {
    await talks()
    const lock = (as: 'shut' | 'open') =>
      alice.roomsStore.setState({ rooms: new Map([[alice.room.id, { ...alice.room, lock: as }]]) })
    lock('shut')
    await passes(20)
    expect(alice.state().phase).toBe('live')
    await alice.ends()
    await soon()
    expect(alice.lines()).toEqual([])
    expect(alice.keys.state.noted.size).toBe(1)
    lock('open')
    await soon()
    expect(outcomes(alice)).toEqual(['answered'])
    expect(alice.keys.state.noted.size).toBe(0)
  })
})

describe('A page that is loaded anew', () => {
  const tabOf = (isCaller: boolean) => {
    const written = stored.filter(([, value]) => JSON.parse(value).isCaller === isCaller).at(-1)
    if (written) sessionStorage.setItem(...written)
  }
  let stored: [string, string][] = []
  beforeEach(() => {
    stored = []
    const { sessionStorage: real } = globalThis
    const setItem = real.setItem.bind(real)
    Object.defineProperty(real, 'setItem', {
      value(key: string, value: string) {
        stored.push([key, value])
        setItem(key, value)
      },
      enumerable: false,
    })
  })

  async function reloads(page: CallPage): Promise<CallPage> {
    const isCaller = page.state().isInitiator
    page.socket.breaks()
    for (const one of network.connections) if (one.connectionState === 'connected') one.stands('disconnected')
    const { userId, otherId, keys } = page
    const next = await openCallPage(wire, { userId, otherId, keys })
    tabOf(isCaller)
    void next.resumes()
    await passes(2)
    return next
  }

  test.each([true, false])(
    'The caller’s (%s) is back within 5 seconds, muted as before, with its time going on',
    async (isCaller) => {
      await talks()
      const page = isCaller ? alice : bob
      await page.does.toggleAudio(page.env)
      const started = page.state().callStartTime
      await soon()
      const next = await reloads(page)
      if (isCaller) alice = next
      else bob = next
      await passes(2)
      for (const one of [alice, bob]) expect(one.state()).toMatchObject({ phase: 'live', isInCall: true })
      expect(next.state()).toMatchObject({ callStartTime: started, isAudioEnabled: false })
      expect((isCaller ? bob : alice).state().isOtherMuted).toBe(true)
    },
  )

  test('A caller’s page that died writes the line at its next start, once', async () => {
    await talks()
    await passes(25)
    alice.socket.breaks()
    const { userId, otherId, keys } = alice
    expect(keys.state.noted.size).toBe(1)
    await passes(60)
    // A tab that is closed forgets; here it would find Bob’s.
    sessionStorage.removeItem('call')
    alice = await openCallPage(wire, { userId, otherId, keys })
    await alice.resumes()
    expect(alice.lines()).toEqual([expect.objectContaining({ outcome: 'answered', seconds: expect.any(Number) })])
    expect(alice.lines()[0]?.seconds).toBeGreaterThanOrEqual(20)
    await alice.resumes()
    expect(alice.lines()).toHaveLength(1)
  })

  test('The caller’s that still rings is rung once more, goes on for its 45 seconds, and is taken', async () => {
    await rings()
    const next = await reloads(alice)
    alice = next
    await passes(35)
    expect([alice.state().phase, bob.state().phase]).toEqual(['calling', 'incoming'])
    expect(wire.said.filter(({ frame }) => frame.type === 'call-offer')).toHaveLength(2)
    await bob.accepts()
    await soon()
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
  })

  test('The line of the call that it is back in waits for its end, though the browser has no locks', async () => {
    await talks()
    await passes(15)
    const { userId, otherId, keys } = alice
    alice.socket.breaks()
    alice = await openCallPage(wire, { userId, otherId, keys })
    tabOf(true)
    media.refuses = new DOMException('NotFoundError', 'NotFoundError')
    await alice.resumes()
    expect(alice.lines()).toEqual([])
    await passes(3)
    await alice.ends()
    await soon()
    expect(outcomes(alice)).toEqual(['answered'])
  })

  test('One that died while it rang leaves a call without an answer', async () => {
    await rings()
    alice.socket.breaks()
    const { userId, otherId, keys } = alice
    await passes(60)
    alice = await openCallPage(wire, { userId, otherId, keys })
    await alice.resumes()
    expect(outcomes(alice)).toEqual(['no_answer'])
  })
})

describe('The address', () => {
  test.each([false, true])(
    'The first call that shows it asks once; the server brings a relay of its own: %s',
    async (hasRelay) => {
      for (const { relay } of [alice, bob]) Object.assign(relay, { hasRelay, isOperators: false })
      await alice.rings('voice', {} as never)
      expect(alice.state()).toMatchObject({ phase: 'idle', refusal: 'shows_address', pending: { callType: 'voice' } })
      alice.does.dismissRefusal()
      await alice.rings('voice', { allowsDirect: true })
      expect(alice.state()).toMatchObject({ phase: 'calling', refusal: null })
      await alice.ends()
      await alice.rings('voice', {} as never)
      expect(alice.state().phase).toBe('calling')
    },
  )

  test('With an operator’s relay everything goes through it, and no other address is gathered', async () => {
    for (const page of [alice, bob])
      Object.assign(page.relay, {
        hasRelay: true,
        iceServers: [{ urls: ['turn:relay.example:3478'], username: 'u', credential: 'c' }],
      })
    await rings()
    // Bob reads it before he accepts.
    expect(bob.state()).toMatchObject({ phase: 'incoming', isRelayed: true })
    await bob.accepts()
    await soon()
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
    expect(alice.state().isRelayed).toBe(true)
    expect(network.gathered).not.toEqual([])
    expect(network.gathered.filter((candidate) => !candidate.includes('typ relay'))).toEqual([])
    const asked = alice.relay.asked
    await passes(10 * 60)
    expect(alice.relay.asked).toBeGreaterThan(asked)
  })

  test.each([-3_600_000, 365 * 86_400_000])(
    'A relay that expires in %s ms by this clock is not asked for without a pause',
    async (lifeMs) => {
      for (const page of [alice, bob])
        Object.assign(page.relay, {
          ...{ hasRelay: true, lifeMs },
          iceServers: [{ urls: ['turn:relay.example:3478'], username: 'u', credential: 'c' }],
        })
      await talks()
      await passes(60)
      expect(alice.state().phase).toBe('live')
      expect(alice.relay.asked).toBeLessThanOrEqual(5)
    },
  )

  test('It is hidden and the server has no relay: the call is refused, and goes on only where the person allows it', async () => {
    alice.keys.state.hidesAddress = true
    await alice.rings('voice', {} as never)
    expect(alice.state()).toMatchObject({ phase: 'idle', refusal: 'no_relay' })
    bob.keys.state.hidesAddress = true
    await alice.rings('voice', { allowsDirect: true })
    await soon()
    await bob.accepts(false, {} as never)
    expect(bob.state()).toMatchObject({ phase: 'incoming', refusal: 'no_relay', isInCall: false })
    await bob.accepts(false, { allowsDirect: true })
    await soon()
    expect(bob.state()).toMatchObject({ phase: 'live', refusal: null })
  })

  test('It is hidden and the relay is gone: the call ends by name, never direct in silence', async () => {
    alice.relay.hasRelay = true
    await talks()
    expect(alice.state().over?.words).toBe('The relay that hides your address cannot be reached, so the call was not connected.')
    expect(network.gathered).toEqual([])
  })

  test('A wrong address of a relay is left out', async () => {
    for (const page of [alice, bob])
      Object.assign(page.relay, { iceServers: [{ urls: ['turn:a b', 'http://relay.example', 'stun:stun.example:3478'] }] })
    await talks()
    expect([alice.state().phase, bob.state().phase]).toEqual(['live', 'live'])
  })

  test('On an onion connection a call leaves Tor by one press, each time', async () => {
    alice.connectionStore.setState({ ingress: 'onion' })
    await alice.rings()
    expect(alice.state()).toMatchObject({ phase: 'idle', refusal: 'leaves_tor' })
    await alice.rings('voice', { allowsDirect: true, leavesTor: true } as never)
    expect(alice.state().phase).toBe('calling')
    expect(wire.said[0]?.frame.data).toMatchObject({ leavesTor: true })
    await alice.ends()
    await alice.rings()
    expect(alice.state().refusal).toBe('leaves_tor')
  })

  test('On an onion origin no connection is made without the press, also before the server has said how one came', async () => {
    vi.stubGlobal('location', new URL('http://abc.onion/'))
    alice.connectionStore.setState({ ingress: null })
    await alice.rings()
    expect(alice.state()).toMatchObject({ phase: 'idle', refusal: 'leaves_tor' })
    expect([network.connections, alice.relay.asked, wire.said]).toEqual([[], 0, []])
  })

  test('Where Tor is required no press lets a call leave it: neither one that is made, nor one that rings', async () => {
    alice.connectionStore.setState({ ingress: 'onion', isTorRequired: true })
    await alice.rings('voice', { allowsDirect: true, leavesTor: true } as never)
    expect(alice.state()).toMatchObject({ phase: 'idle', refusal: 'tor_required' })
    await bob.rings()
    await soon()
    await alice.accepts(false, { allowsDirect: true, leavesTor: true } as never)
    expect(alice.state()).toMatchObject({ phase: 'incoming', refusal: 'tor_required' })
    expect(network.connections).toEqual([])
  })
})

describe('Both ring each other at once', () => {
  test('The lower call stays and is taken by itself; the other ends without a line', async () => {
    await Promise.all([alice.rings(), bob.rings()])
    await soon()
    for (const page of [alice, bob]) expect(page.state().phase).toBe('live')
    expect(alice.state().callId).toBe(bob.state().callId)
    await passes(3)
    await alice.ends()
    await soon()
    expect([...outcomes(alice), ...outcomes(bob)]).toEqual(['answered'])
  })

  test('100 times, at any distance in time, without one that hangs', async () => {
    const random = seeded(7)
    wire.delayMs = 6
    let crossed = 0
    for (let call = 0; call < 100; call++) {
      const callTypes = ['voice', 'video'] as const
      const ringings = [alice, bob].map(async (page) => {
        await passes(0)
        await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 12)))
        await page.rings(callTypes[Math.floor(random() * 2)])
      })
      await passes(1)
      await Promise.all(ringings)
      if ([alice, bob].every((page) => page.state().phase !== 'incoming')) crossed += 1
      // One was rung before it rang itself, and has a dialog.
      for (const page of [alice, bob]) if (page.state().phase === 'incoming') await page.accepts()
      await passes(1)
      expect([alice.state().phase, bob.state().phase], `call ${call}`).toEqual(['live', 'live'])
      expect(alice.state().callId).toBe(bob.state().callId)
      await (call % 2 ? alice : bob).ends()
      await soon()
      for (const page of [alice, bob]) page.dismiss()
      areFree()
      media.tracks.length = 0
      network.connections.length = 0
    }
    expect(crossed).toBeGreaterThan(30)
    expect([...outcomes(alice), ...outcomes(bob)]).toEqual(Array.from({ length: 100 }, () => 'answered'))
  })
})

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
