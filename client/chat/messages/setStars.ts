import type { Star } from '../../../contract/chat/content.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import type { Env } from '../../env.ts'
import { isStarred, marksStore } from '../../rooms/list/marks.ts'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { keepMarks } from './setMark.ts'
import { type StarredMessage, starsIn } from './stars.ts'
import type { ShownMessage } from './store.ts'

const STARS_MAX = SAID.starsMax

type Named = Omit<StarredMessage, 'place'>

/** Stars the messages that have no star; where all have one, takes theirs away. */
export async function toggleStars(env: Env, chatRoomId: string, messages: ShownMessage[]): Promise<void> {
  const { marks } = marksStore.getState()
  const named = messages.flatMap(({ senderId, id, seq }) =>
    senderId !== undefined && seq !== null ? [{ chatRoomId, senderId, id, at: seq }] : [],
  )
  const without = named.filter((one) => !isStarred(marks, chatRoomId, one))
  const isOn = without.length > 0
  if (isOn && starsIn(marks).length + without.length > STARS_MAX)
    showToast({ tone: 'plain', title: `At most ${STARS_MAX} stars`, text: 'Take one away first.' })
  else await setStars(env, isOn ? without : named, isOn)
}

export const setStar = (env: Env, message: Named, isOn: boolean): Promise<void> => setStars(env, [message], isOn)

/** Says why where it cannot. */
async function setStars(env: Env, messages: Named[], on: boolean): Promise<void> {
  try {
    const stars = messages.map(({ chatRoomId, senderId, id, at }): Star => {
      return { type: 'star', room: chatRoomId, target: { senderId, id }, on, at }
    })
    await keepMarks(env, stars)
  } catch (error) {
    showToast({ tone: 'bad', title: 'The star was not changed', text: failureWords(error) })
  }
}
