import { type FrameType, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { followNews } from '../alerts/notifications/followNews.ts'
import { followPush } from '../alerts/push/followPush.ts'
import { followCalls } from '../chat/calls/followCalls.ts'
import { hideLocked, resetMessages } from '../chat/messages/messages.ts'
import { keepIndexed } from '../chat/search/indexing.ts'
import { forgetSearch } from '../chat/search/search.ts'
import { stopOlder } from '../chat/search/stopOlder.ts'
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
import { connectionStore } from '../net/status.ts'
import { resetCodes } from '../people/contactcodes/store.ts'
import { endAct } from '../people/contacts/acts.ts'
import { resetVanished } from '../people/contacts/vanished.ts'
import { plansStore } from '../plan/plans/store.ts'
import { loadDrafts, resetDrafts } from '../rooms/list/drafts.ts'
import { isUnreadRight } from '../rooms/list/loadRooms.ts'
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
  const attempt = (work: Promise<unknown>) =>
    void work.catch((error) => {
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
  const stopHealing = keepHealing(env, attempt)
  const index = keepIndexed(env, acceptedRooms, attempt)
  const offline = keepOffline(env, attempt)
  attempt(watchCode())
  const offs = [
    offline.stop,
    ...serverFrame.options.map(({ shape }) => listen(shape.type.value)),
    watchTabs(env, attempt),
    watchOwnNews(env, attempt),
    watchSignIns(env, attempt),
    watchDecisions(env, attempt),
    watchLock(env, userId, attempt, { onOpening: offline.onOpening }),
    watchLockKey(env, userId, (address) => history.pushState(null, '', address)),
    roomsStore.subscribe(index.soon),
    followNews(env, attempt),
    hideLocked(),
    followCalls(env, attempt),
    followTransfers(env, attempt),
    followPush(env, attempt, () => accountStore.getState().phase === 'signed_out'),
  ]
  /** True while the socket is open, or while the page does not fit the server's version. */
  const isQuiet = () => {
    const { phase, pause } = connectionStore.getState()
    return phase === 'open' || pause === 'other_version' || pause === 'refused_version'
  }
  let isCounting = false
  /** One at a time: on a slow line they would stand in the way of messages. */
  const countUnread = async () => {
    isCounting = true
    await checkUnread(env).finally(() => {
      isCounting = false
    })
  }
  const polls = [
    // The server responds again, so reconnect the socket without waiting for the person to press "Reconnect".
    setInterval(() => isQuiet() || attempt(syncAll(env).then(env.socket.retry)), PERIODS.contactsPollMs),
    setInterval(() => isQuiet() || isCounting || attempt(countUnread()), PERIODS.unreadPollMs),
    setInterval(() => attempt(proveAgain(env)), PERIODS.proofMs),
  ]
  // With a healthy socket the page has heard of everything while nobody looked.
  const followSteady = async () => env.socket.steady(await env.crypto.isSteady())
  const onVisible = () => {
    // Another tab may have switched it.
    attempt(followSteady())
    if (document.visibilityState === 'hidden') tellMarks()
    else if (!env.socket.isAlive()) attempt(readUser(env).then(() => syncAll(env)))
  }
  document.addEventListener('visibilitychange', onVisible)
  attempt(env.crypto.untilUpdated())
  attempt(followWipe(env, userId))
  attempt(loadDrafts(env))
  env.socket.open()
  attempt(followSteady())
  // The hello has had the list read: what waited for the keys goes on.
  attempt(check().then(() => syncAll(env, [])))
  return () => {
    first.stop()
    for (const off of offs) off()
    for (const poll of polls) clearInterval(poll)
    document.removeEventListener('visibilitychange', onVisible)
    env.socket.close()
    stopHealing()
    index.stop()
    stopOlder()
    forgetSearch()
    resetMessages()
    resetRooms()
    resetDrafts()
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

/** The number is counted from the rows alone: where the server has another one, the rows are read. */
async function checkUnread(env: Env): Promise<void> {
  if (!(await isUnreadRight(env))) await syncAll(env)
}

const acceptedRooms = () => [...roomsStore.getState().rooms.values()].flatMap((room) => (isFollowed(room) ? [room.id] : []))
