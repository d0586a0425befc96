import type { Env } from '../../env.ts'
import { type RoomRow, roomsStore } from '../../rooms/list/roomList.ts'
import { arrivalsIn } from './arrivalsIn.ts'
import { closeAll, closePushed, closeRead, showNews, standing } from './desktop.ts'
import { showIcon } from './icon.ts'
import { changePrefs, followPrefs, prefsStore } from './newsPrefs.ts'
import { joinTabs, type Tabs } from './newsTabs.ts'
import { playSound } from './sound.ts'

/** Tells of what comes outside the page: by its icon, by a sound, and by the system while nobody looks. Returns how to stop. */
export function watchNews(env: Env, attempt: (work: Promise<unknown>) => void): () => void {
  const tabs = joinTabs()
  const stopPrefs = followPrefs()
  showIcon(roomsStore.getState().unreadTotal)
  const off = roomsStore.subscribe((now, before) => {
    if (now.unreadTotal !== before.unreadTotal) showIcon(now.unreadTotal)
    closeRead()
    if (now.status === 'ready' && now.unreadTotal === 0 && (before.status !== 'ready' || before.unreadTotal > 0))
      attempt(closePushed())
    const arrived = arrivalsIn(before, now)
    if (arrived.length > 0 && tabs.isFirst()) attempt(tell(env, tabs, arrived))
  })
  return () => {
    off()
    stopPrefs()
    tabs.leave()
    closeAll()
    showIcon(0)
  }
}

async function tell(env: Env, tabs: Tabs, rooms: RoomRow[]): Promise<void> {
  const { hasSound, isDesktop, offer } = prefsStore.getState()
  const areLookedAt = await tabs.areLookedAt()
  if (hasSound) await playSound()
  if (areLookedAt) return
  const allowed = standing()
  if (isDesktop && allowed === 'granted') await showNews(env, rooms)
  // Something was missed: from now on the page may ask, once.
  if (!isDesktop && offer === 'not_yet' && (allowed === 'default' || allowed === 'granted')) changePrefs({ offer: 'due' })
}
