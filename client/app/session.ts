import { type FrameType, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { followNews } from '../alerts/notifications/followNews.ts'
import { followPush, isToldByPush } from '../alerts/push/followPush.ts'
import { followCalls } from '../chat/calls/followCalls.ts'
import { hideLocked, resetMessages } from '../chat/messages/messages.ts'
import { keepIndexed } from '../chat/search/indexing.ts'
import { forgetSearch } from '../chat/search/search.ts'
import { stopOlder } from '../chat/search/stopOlder.ts'
import { followLifetimes } from '../chat/timers/followLifetimes.ts'
import { handTransferVerbs } from '../chat/transferline/transferVerbs.ts'
import { followTransfers } from '../chat/transfers/followTransfers.ts'
import type { Env } from '../env.ts'
import { type AccountState, accountStore } from '../me/account/accountState.ts'
import { proveAgain } from '../me/account/proveSession.ts'
import { watchLock } from '../me/browserlock/watchLock.ts'
import { watchCode } from '../me/buildcheck/buildcheck.ts'
import { resetDevices, watchOwnNews, watchTabs } from '../me/devices/deviceList.ts'
import { resetPhotos } from '../me/photo/photosState.ts'
import { resetSignIns, watchSignIns } from '../me/sessions/signins.ts'
import { ApiError } from '../net/api.ts'
import { keepAsking } from '../net/pauses.ts'
import { connectionStore } from '../net/status.ts'
import { resetCodes } from '../people/contactcodes/store.ts'
import { endAct } from '../people/contacts/acts.ts'
import { resetVanished } from '../people/contacts/vanished.ts'
import { plansStore } from '../plan/plans/store.ts'
import { loadDrafts, resetDrafts } from '../rooms/list/drafts.ts'
import { loadMarks, resetMarks } from '../rooms/list/marks.ts'
import { isFollowed } from '../rooms/list/room.ts'
import { resetRooms, roomsStore } from '../rooms/list/roomList.ts'
import { tellMarks } from '../rooms/list/tellMarks.ts'
import { dropVoices } from '../rooms/list/voicedrafts.ts'
import { keepHealing } from '../rooms/log/healRooms.ts'
import { lostBookStore, resetBook } from '../rooms/trust/book.ts'
import { resetPeople } from '../rooms/trust/people.ts'
import { watchDecisions } from '../rooms/trust/verified.ts'
import { CryptoFailure, isClosed } from '../worker/crypto.ts'
import { goToAuth } from './address.ts'
import { checkOwnKeys } from './ending.ts'
import { firstHello } from './firstHello.ts'
import { watchLockKey } from './lockPage.ts'
import { keepOffline } from './offline.ts'
import { framesOf, readUser } from './serverFrames.ts'
import { checkDevice, syncAll } from './sync.ts'

/** Runs the session of an open account: the socket, the replay after each hello, and polling while there is no socket. */
export function keepSession(env: Env, report: (error: unknown) => void): void {
  let stop: (() => void) | undefined
  const follow = ({ phase, user }: AccountState) => {
    if (phase === 'signed_in' && user && !stop) stop = run(env, user.id, report)
    if (phase !== 'signed_in' && stop) {
      stop()
      stop = undefined
    }
  }
  accountStore.subscribe(follow)
  follow(accountStore.getState())
}

handTransferVerbs(() => import('../chat/transfers/transfers.ts'))

function run(env: Env, userId: string, report: (error: unknown) => void): () => void {
  /** Ignores being offline or signed out, which is shown on the page and is no error. */
  const attempt = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error) => {
      const isAway = error instanceof ApiError && (error.status === 0 || error.status === 401)
      // The page says that the book is lost, and asks.
      const isTold = lostBookStore.getState().isLost && error instanceof CryptoFailure && error.code === 'book_unread'
      if (!isAway && !isTold && !isClosed(error)) report(error)
    })
  const first = firstHello()
  let isChecked = false
  let checking: Promise<void> | undefined
  /** Runs once a page, and again if the server was out of reach. */
  const check = () => {
    checking ??= checkDevice(env, userId, first.come)
      .then(() => {
        isChecked = true
      })
      .finally(() => {
        checking = undefined
      })
    return checking
  }
  const checkKeys = async () => {
    if (first.isAwaited()) return first.comes()
    await (isChecked ? checkOwnKeys(env, userId) : check())
  }
  const frames = framesOf(env, userId, checkKeys)
  const listen = <T extends FrameType>(type: T) => env.socket.on(type, (data) => attempt((async () => frames[type](data))()))
  const index = keepIndexed(env, acceptedRooms, attempt)
  const offline = keepOffline(env, attempt)
  attempt(watchCode())
  const isSeen = () => document.visibilityState === 'visible'
  /** True while the socket tells of everything, the server has asked for rest, or the page does not fit its version. */
  const isQuiet = () => {
    const { pause } = connectionStore.getState()
    return env.socket.isAlive() || pause === 'asked' || pause === 'other_version' || pause === 'refused_version'
  }
  let answers = 0
  const poll = keepAsking(async () => {
    if (isQuiet()) return true
    if (isToldByPush()) return
    answers = (await attempt(syncAll(env).then(() => true))) ? answers + 1 : 0
    // The server responds again, so reconnect the socket without waiting for the person to press "Reconnect". A proxy may let none pass.
    if (isSeen() ? answers % 16 === 1 : answers) env.socket.retry()
    return isSeen() && answers > 0
  })
  const offs = [
    first.stop,
    offline.stop,
    keepHealing(env, attempt),
    index.stop,
    poll.stop,
    // Whom it refuses a socket, it has told of nothing.
    env.socket.on('come_back', poll.now),
    ...serverFrame.options.map(({ shape }) => listen(shape.type.value)),
    watchTabs(env, attempt),
    watchOwnNews(env, attempt),
    watchSignIns(env, attempt),
    watchDecisions(env, attempt),
    watchLock(env, userId, attempt, { onOpening: offline.onOpening }),
    watchLockKey(env, userId, (address) => history.pushState(null, '', address)),
    roomsStore.subscribe(index.soon),
    followNews(env, attempt),
    followLifetimes(env, attempt),
    hideLocked(),
    followCalls(env, attempt),
    followTransfers(env, attempt),
    followPush(env, attempt, () => accountStore.getState().phase === 'signed_out'),
  ]
  // Another tab may have ended in the middle of a word's way. What fails here is told where somebody sends.
  const flushLeft = async () => (await import('../chat/messages/flushLeft.ts')).flushLeft(env)
  const left = setInterval(() => flushLeft().catch(() => undefined), PERIODS.leftBehindMs)
  const proof = setInterval(() => attempt(proveAgain(env)), PERIODS.proofMs)
  // With a healthy socket the page has heard of everything while nobody looked.
  const followSteady = async () => env.socket.steady(await env.crypto.isSteady())
  const onVisible = () => {
    // Another tab may have switched it.
    attempt(followSteady())
    if (!isSeen()) tellMarks()
    else if (!isQuiet()) attempt(readUser(env))
  }
  document.addEventListener('visibilitychange', onVisible)
  attempt(env.crypto.untilUpdated())
  attempt(followWipe(env, userId))
  attempt(loadDrafts(env))
  attempt(loadMarks(env))
  env.socket.open()
  attempt(followSteady())
  // The hello has had the list read: what waited for the keys goes on.
  attempt(check().then(() => syncAll(env, [])))
  return () => {
    for (const off of offs) off()
    clearInterval(left)
    clearInterval(proof)
    document.removeEventListener('visibilitychange', onVisible)
    env.socket.close()
    stopOlder()
    forgetSearch()
    resetMessages()
    resetRooms()
    resetDrafts()
    resetMarks()
    dropVoices()
    resetPeople()
    resetPhotos()
    plansStore.setState(plansStore.getInitialState())
    resetDevices()
    resetVanished()
    endAct()
    resetBook()
    resetSignIns()
    resetCodes()
  }
}

async function followWipe(env: Env, userId: string): Promise<void> {
  const { watchWiped } = await import('../me/wiped/wiped.ts')
  const { user } = accountStore.getState()
  if (user?.id === userId) await watchWiped(env, user, () => goToAuth(userId))
}

const acceptedRooms = () => [...roomsStore.getState().rooms.values()].flatMap((room) => (isFollowed(room) ? [room.id] : []))
