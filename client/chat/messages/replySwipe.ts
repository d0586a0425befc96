import { type Swiped, tick } from '../../ui/followSwipe.ts'

/** From there on a swipe replies. */
const ACT_PX = 56

/** Moves a message with the finger, from `ACT_PX` on by a third. */
export function replySwipe(element: HTMLElement, reply: () => void): Swiped {
  let reached = 0
  element.classList.add('swiped')
  return {
    move(moved) {
      const px = Math.max(0, moved)
      element.style.translate = `${px > ACT_PX ? ACT_PX + (px - ACT_PX) / 3 : px}px 0`
      if (px >= ACT_PX && reached < ACT_PX) tick()
      element.classList.toggle('acts', px >= ACT_PX)
      reached = px
    },
    end(px) {
      element.classList.remove('swiped', 'acts')
      element.style.translate = ''
      if (px >= ACT_PX) reply()
    },
  }
}
