import type { User } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { roomsStore } from '../list/roomList.ts'
import { peopleStore } from '../trust/people.ts'
import { keepShown } from './keptScreens.ts'

/** The delay gathers further changes. */
const KEEP_AFTER_MS = 3000

/** Returns the stop. */
export function followShown(env: Env, ownUser: () => User | null, report: (work: Promise<unknown>) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  function keep() {
    clearTimeout(timer)
    timer = undefined
    const user = ownUser()
    if (user) report(keepShown(env, user))
  }
  const later = () => {
    timer ??= setTimeout(keep, KEEP_AFTER_MS)
  }
  // A hidden page may close at any moment.
  const onHidden = () => {
    if (document.visibilityState === 'hidden' && timer !== undefined) keep()
  }
  const offs = [roomsStore.subscribe(later), peopleStore.subscribe(later)]
  document.addEventListener('visibilitychange', onHidden)
  later()
  return () => {
    clearTimeout(timer)
    for (const off of offs) off()
    document.removeEventListener('visibilitychange', onHidden)
  }
}
