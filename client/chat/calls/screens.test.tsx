// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { accountStore } from '../../me/account/accountState.ts'
import { connectionStore } from '../../net/status.ts'
import { putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { putPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ALICE_ID as ALICE, BOB_ID as BOB, shownBob as bob, ROOM_ID as ROOM, shownRoom as room } from '../../testing/shown.ts'
import { FakeTrack } from '../../testing/tracks.ts'
import { Toasts } from '../../ui/Toasts.tsx'
import { showToast } from '../../ui/toast.ts'
import { callAskStore } from '../callline/askCall.ts'
import { CallAgain } from '../callline/CallAgain.tsx'
import { CallButtons } from '../callline/CallButtons.tsx'
import { CallLine } from '../callline/CallLine.tsx'
import { CallBar } from './CallBar.tsx'
import { CallList } from './CallList.tsx'
import { CallOverlay } from './CallOverlay.tsx'
import { type CallState, callStore, resetCall } from './callState.ts'
import * as verbs from './calls.ts'

vi.mock('./calls.ts', () => {
  const names = ['startCall', 'acceptCall', 'declineCall', 'endCall', 'toggleAudio', 'toggleVideo', 'shareScreen', 'stopShare']
  const more = ['wordsDiffer', 'wordsMatch', 'minimiseCall', 'dismissCall', 'dismissRefusal', 'silenceRing', 'chooseDevice']
  return Object.fromEntries([
    ...[...names, ...more, 'setNoiseSuppression'].map((name) => [name, vi.fn(async () => undefined)]),
    ['listDevices', vi.fn(async () => DEVICES)],
  ])
})

const DEVICES = {
  microphone: [
    { id: 'a', name: 'Built-in microphone' },
    { id: 'b', name: 'Headset' },
  ],
  ...{ camera: [], speaker: [], chosen: { microphone: 'a', camera: null, speaker: null }, hasNoiseSuppression: true },
}

openScreen()

const NOW = Date.parse('2026-11-26T12:00:00Z')

const LIVE: Partial<CallState> = {
  ...{
    isInCall: true,
    isInitiator: true,
    callType: 'voice',
    participants: [BOB],
    phase: 'live',
    callId: 'call',
    chatRoomId: ROOM,
  },
  ...{ isAudioEnabled: true, callStartTime: NOW - 767_000, words: ['harbour', 'slate', 'fig', 'lantern'] },
}
const RING: Partial<CallState> = { phase: 'incoming', callType: 'video', participants: [BOB], callId: 'call', chatRoomId: ROOM }

beforeEach(() => {
  vi.clearAllMocks()
  resetCall()
  resetRooms()
  callAskStore.setState({ asked: null, isInCall: false })
  const user = { id: ALICE, username: 'alice', displayName: 'Alice', profileImageUrl: null, subscriptionTier: 'premium' }
  accountStore.setState({ user: user as never })
  putPeople([bob])
  putRooms([room])
})

const onOpenChat = vi.fn()

function open(call: Partial<CallState>) {
  callStore.setState(call)
  return show(<CallOverlay onOpenChat={onOpenChat} />, makeAnswers(), { clock: () => new Date(NOW) })
}

const button = (name: string) => screen.getByRole('button', { name })

test('Who rings is named with what is known of them; Accept has the focus, and Enter takes the video', async () => {
  const { person } = open({ ...RING, isRelayed: true })
  const dialog = screen.getByRole('alertdialog', { name: 'Bob Baker' })
  expect(within(dialog).getByText('Incoming video call')).toBeTruthy()
  expect(within(dialog).getByText('Safety number compared')).toBeTruthy()
  expect(within(dialog).getByText(/Your address stays hidden/)).toBeTruthy()
  await waitFor(() => expect(document.activeElement).toBe(button('Accept')))
  await person.keyboard('{Enter}')
  expect(verbs.acceptCall).toHaveBeenCalledExactlyOnceWith(expect.anything(), true, {})
})

test('A picture is shown without its sound, which is played once', () => {
  const [voice, camera] = [new FakeTrack('audio'), new FakeTrack('video')]
  const stream = new MediaStream([voice, camera] as never)
  open({ ...LIVE, callType: 'video', otherVideo: 'camera', remoteStreams: { [BOB]: stream } })
  const shown = screen.getByLabelText<HTMLVideoElement>('Bob Baker', { selector: 'video' }).srcObject as MediaStream
  expect([shown.getAudioTracks(), shown.getVideoTracks()]).toEqual([[], [camera]])
})

test('A call that ends while the list of calls is open comes to its top, once', async () => {
  const call = { type: 'call', callType: 'voice', outcome: 'answered', seconds: 61, isCompared: false }
  const line = (seq: number, outcome: string) => ({
    ...{ id: `${seq}`, seq, at: new Date(NOW + seq).toISOString(), senderId: BOB, chatRoomId: ROOM },
    body: { kind: 'content', content: { ...call, outcome, callId: `call ${seq}` } },
  })
  const messages = [line(1, 'answered')]
  const page = async () => ({ messages: [...messages], from: 1 })
  show(<CallList onOpenChat={onOpenChat} onClose={vi.fn()} />, makeAnswers(), { crypto: { page } as never })
  const lines = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent)
  await waitFor(() => expect(lines()).toEqual([expect.stringContaining('Voice call')]))
  messages.push(line(2, 'no_answer'))
  const preview = { kind: 'missed', text: 'Missed voice call', at: new Date(NOW).toISOString() }
  for (const text of ['once', 'twice']) act(() => putRooms([{ ...room, preview: { ...preview, text } as never }]))
  await waitFor(() => expect(lines()).toHaveLength(2))
  expect(lines()[0]).toContain('Missed voice call')
})

test('A video call is taken by voice alone, silenced by M, and declined by Escape', async () => {
  const { person } = open(RING)
  expect(screen.getByText(/sees your network address/)).toBeTruthy()
  await person.click(button('Accept without video'))
  expect(verbs.acceptCall).toHaveBeenCalledExactlyOnceWith(expect.anything(), false, {})
  await person.keyboard('m')
  expect(verbs.silenceRing).toHaveBeenCalledOnce()
  await person.keyboard('{Escape}')
  expect(verbs.declineCall).toHaveBeenCalledOnce()
})

test('A ring that would show the address asks first, and goes on as it was accepted', async () => {
  const { person } = open(RING)
  await person.click(button('Accept without video'))
  act(() => callStore.setState({ refusal: 'no_relay' }))
  await person.click(await screen.findByRole('button', { name: 'Allow for this call' }))
  expect(verbs.acceptCall).toHaveBeenLastCalledWith(expect.anything(), false, { allowsDirect: true })
})

test('The view has the time as mm:ss, and keys for all that its buttons do but the end', async () => {
  const { person } = open(LIVE)
  expect(screen.getByRole('timer').textContent).toBe('12:47')
  await person.keyboard('mv')
  expect(verbs.toggleAudio).toHaveBeenCalledOnce()
  expect(verbs.toggleVideo).toHaveBeenCalledOnce()
  await person.keyboard('d')
  const devices = await screen.findByRole('dialog', { name: 'Devices' })
  const microphone = await within(devices).findByLabelText('Microphone')
  await person.selectOptions(microphone, 'b')
  expect(verbs.chooseDevice).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'microphone', 'b')
  microphone.focus()
  await person.keyboard('m')
  expect(verbs.toggleAudio).toHaveBeenCalledOnce()
  expect(verbs.endCall).not.toHaveBeenCalled()
  await person.click(button('End'))
  expect(verbs.endCall).toHaveBeenCalledOnce()
})

test('Escape closes what is open first, then leads back to the chat, where the call goes on', async () => {
  const { person } = open(LIVE)
  await person.keyboard('d')
  await screen.findByRole('dialog', { name: 'Devices' })
  await person.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Devices' })).toBeNull())
  expect(verbs.minimiseCall).not.toHaveBeenCalled()
  await person.keyboard('{Escape}')
  expect(verbs.minimiseCall).toHaveBeenCalledExactlyOnceWith(true)
  expect(onOpenChat).toHaveBeenCalledExactlyOnceWith(ROOM)
  expect(verbs.endCall).not.toHaveBeenCalled()
})

test('Escape is the view’s, also while a toast stands above it', async () => {
  const { person } = show(
    <>
      <CallOverlay onOpenChat={onOpenChat} />
      <Toasts />
    </>,
    makeAnswers(),
  )
  act(() => callStore.setState({ ...LIVE, phase: 'over', over: { why: 'declined', words: 'Bob declined the call.' } }))
  await screen.findByText('Bob declined the call.')
  act(() => showToast({ tone: 'good', title: 'Call Started Successfully', text: '' }))
  await screen.findByText('Call Started Successfully')
  await person.keyboard('{Escape}')
  expect(verbs.dismissCall).toHaveBeenCalledOnce()
})

test('Arrows go from one button to the next, and around', async () => {
  const { person } = open(LIVE)
  button('Mute').focus()
  await person.keyboard('{ArrowRight}')
  expect(document.activeElement).toBe(button('Start video'))
  await person.keyboard('{ArrowLeft}{ArrowLeft}')
  expect(document.activeElement).toBe(button('End'))
})

test('Space that is held opens the microphone of somebody who is muted, and closes it again', () => {
  open({ ...LIVE, isAudioEnabled: false })
  vi.mocked(verbs.toggleAudio).mockImplementation(async () =>
    callStore.setState((now) => ({ isAudioEnabled: !now.isAudioEnabled })),
  )
  const view = screen.getByRole('dialog', { name: 'Bob Baker' })
  fireEvent.keyDown(view, { key: ' ' })
  fireEvent.keyDown(view, { key: ' ', repeat: true })
  expect(callStore.getState().isAudioEnabled).toBe(true)
  fireEvent.keyUp(view, { key: ' ' })
  expect(callStore.getState().isAudioEnabled).toBe(false)
})

test('Nobody is asked to compare words in the first five seconds, nor twice', async () => {
  const asks = 'Both should see the same words'
  const { person } = open({ ...LIVE, callStartTime: NOW - 4000 })
  expect(screen.getByText('harbour slate fig lantern')).toBeTruthy()
  expect(screen.queryByText(asks)).toBeNull()
  act(() => callStore.setState({ callStartTime: NOW - 5000 }))
  await person.click(screen.getByRole('button', { name: new RegExp(asks) }))
  await person.click(button('They match'))
  expect(verbs.wordsMatch).toHaveBeenCalledOnce()
  act(() => callStore.setState({ isCompared: true }))
  await person.click(screen.getByRole('button', { name: /Compared on this call/ }))
  expect(await screen.findByRole('dialog', { name: 'Compared on this call' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'They match' })).toBeNull()
})

test('Words that differ end the call only after it was said what that does', async () => {
  const { person } = open(LIVE)
  await person.click(screen.getByRole('button', { name: /same words/ }))
  await person.click(button('They differ'))
  const question = await screen.findByRole('alertdialog', { name: 'End the call and stop sending?' })
  expect(verbs.wordsDiffer).not.toHaveBeenCalled()
  await waitFor(() => expect(document.activeElement).toBe(within(question).getByRole('button', { name: 'Cancel' })))
  await person.click(within(question).getByRole('button', { name: 'End and stop sending' }))
  expect(verbs.wordsDiffer).toHaveBeenCalledOnce()
})

test('A screen reader hears that the call connects, breaks, comes back and ends', () => {
  open({ ...LIVE, phase: 'calling', callStartTime: null, words: null })
  expect(screen.getByText('Calling...')).toBeTruthy()
  expect(screen.getByText('Waiting for other participants to join')).toBeTruthy()
  const said = () => document.querySelector('[aria-live="assertive"]')?.textContent
  const steps: [Partial<CallState>, string][] = [
    [LIVE, 'Connected'],
    [{ isAudioEnabled: false }, 'Muted'],
    [{ otherVideo: 'screen' }, 'Bob shares the screen'],
    [{ phase: 'reconnecting', reconnectingSince: NOW - 6000 }, 'Reconnecting'],
    [{ phase: 'live' }, 'Connected again'],
  ]
  for (const [change, words] of steps) {
    act(() => callStore.setState(change))
    expect(said()).toBe(words)
    if (words === 'Reconnecting') expect(screen.getByText('Reconnecting, 6 s.')).toBeTruthy()
  }
  act(resetCall)
  expect(said()).toBe('The call has ended')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('An end that somebody chose closes the view; one by a lost line says so, and calls again', async () => {
  const { person } = open({ ...LIVE, phase: 'over', over: { why: 'ended', words: 'Bob ended the call.' } })
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(verbs.dismissCall).toHaveBeenCalledOnce()
  act(() => callStore.setState({ over: { why: 'left', words: 'Bob left the call.' } }))
  expect(screen.getByRole('heading', { name: 'Bob left the call' })).toBeTruthy()
  await person.click(button('Call again'))
  expect(verbs.startCall).toHaveBeenCalledExactlyOnceWith(expect.anything(), expect.objectContaining({ id: ROOM }), 'voice')
})

test('A refused call was not begun: the safe answer has the focus, and what is allowed adds up', async () => {
  const pending = { room, callType: 'voice' as const }
  const { person } = open({ refusal: 'leaves_tor', pending })
  expect(screen.getByText('A call would leave Tor: the relay would see your address.')).toBeTruthy()
  await waitFor(() => expect(document.activeElement).toBe(button('Do not call')))
  vi.mocked(verbs.startCall).mockImplementationOnce(async () => callStore.setState({ refusal: 'no_relay' }))
  await person.click(button('Allow for this call'))
  expect(verbs.startCall).toHaveBeenLastCalledWith(expect.anything(), room, 'voice', { leavesTor: true })
  expect(await screen.findByText(/Bob heard nothing/)).toBeTruthy()
  await person.click(button('Allow for this call'))
  expect(verbs.startCall).toHaveBeenLastCalledWith(expect.anything(), room, 'voice', { leavesTor: true, allowsDirect: true })
})

test('Where no call leaves Tor the refusal says so, and has nothing that allows it', async () => {
  const { person } = open({ refusal: 'tor_required', pending: { room, callType: 'voice' } })
  expect(screen.getByRole('heading', { name: 'This server lets no call leave Tor.' })).toBeTruthy()
  const sheet = within(screen.getByRole('dialog'))
  expect(sheet.getAllByRole('button', { name: 'Close' })).toHaveLength(sheet.getAllByRole('button').length)
  await person.click(sheet.getByText('Close'))
  expect(verbs.dismissRefusal).toHaveBeenCalledOnce()
  expect(verbs.startCall).not.toHaveBeenCalled()
})

test.each([
  [{ ingress: 'direct', isTorRequired: false }, /straight to their browser/],
  [{ ingress: 'onion', isTorRequired: false }, /A call would leave Tor.* You are asked before/],
  [{ ingress: 'onion', isTorRequired: true }, /lets no call leave Tor/],
] as const)('A ring at a connection that is %o says what to accept it would show', (state, words) => {
  connectionStore.setState(state)
  open(RING)
  expect(screen.getByText(words)).toBeTruthy()
  connectionStore.setState({ ingress: 'direct', isTorRequired: false })
})

test('The bar in the chat has the time, mutes, leads back and ends', async () => {
  callStore.setState({ ...LIVE, isMinimised: true })
  const { person } = show(<CallBar />, makeAnswers(), { clock: () => new Date(NOW) })
  expect(screen.getByText('12:47')).toBeTruthy()
  await person.click(button('Mute'))
  await person.click(button('Return'))
  await person.click(button('End'))
  expect(verbs.toggleAudio).toHaveBeenCalledOnce()
  expect(verbs.minimiseCall).toHaveBeenCalledExactlyOnceWith(false)
  expect(verbs.endCall).toHaveBeenCalledOnce()
})

test('The buttons say why they do nothing, and are absent where nobody can be called', async () => {
  const { person, again } = show(<CallButtons chat={{ room, person: bob }} />, makeAnswers())
  await person.click(button('Video call'))
  expect(callAskStore.getState().asked).toEqual({ room, callType: 'video' })
  act(() => connectionStore.setState({ phase: 'connecting' }))
  expect(button('Voice call. Not connected')).toHaveProperty('disabled', true)
  const blocked = { ...room, direct: { ...room.direct, isBlocked: true } }
  const pending = { ...room, direct: { ...room.direct, state: 'pending' as const } }
  for (const chat of [
    { room: blocked, person: bob },
    { room: pending, person: bob },
    { room, person: { ...bob, isDeleted: true } },
  ]) {
    again(<CallButtons chat={chat} />)
    expect(screen.queryByRole('button')).toBeNull()
  }
})

test('A free account is offered the plans, and nobody is called', async () => {
  const { user } = accountStore.getState()
  accountStore.setState({ user: user && { ...user, subscriptionTier: 'free' } })
  const { person } = show(<CallAgain chatRoomId={ROOM} callType="voice" words="Call back" />, makeAnswers())
  await person.click(button('Call back'))
  expect(callAskStore.getState().asked).toBe('upgrade')
})

const call = {
  type: 'call' as const,
  callId: '33333333-3333-4333-8333-333333333333',
  callType: 'voice' as const,
  isCompared: false,
}
const line = (isMine: boolean, outcome: 'answered' | 'no_answer' | 'declined', text: string) => (
  <CallLine
    message={{ isMine, at: '2026-11-26T11:00:00Z' }}
    body={{ call: { ...call, outcome, seconds: 1888, isCompared: outcome === 'answered' }, text, chatRoomId: ROOM }}
  />
)

test('A call that was missed is red and calls back, one that took place has its length and words', async () => {
  const { person, again } = show(line(false, 'no_answer', 'Missed voice call'), makeAnswers())
  expect(screen.getByText('Missed voice call').closest('.bad')).toBeTruthy()
  await person.click(button('Call back'))
  expect(callAskStore.getState().asked).toEqual({ room, callType: 'voice' })
  again(line(true, 'answered', 'Voice call'))
  expect(screen.getByText(/31:28 · words compared/)).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
  again(line(true, 'no_answer', 'Voice call'))
  expect(screen.getByText(/no answer/)).toBeTruthy()
  expect(button('Call again')).toBeTruthy()
})
