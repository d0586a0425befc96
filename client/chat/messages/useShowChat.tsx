import { useLocation } from 'wouter'
import { BESIDE, closeDetails } from '../../rooms/trust/details.ts'

/** Shows a chat, and closes what lies over it. */
export function useShowChat(onLeave: () => void): (chatRoomId: string) => void {
  const [, navigate] = useLocation()
  return (chatRoomId) => {
    onLeave()
    if (!matchMedia(BESIDE).matches) closeDetails()
    navigate(`/chat/${chatRoomId}`)
  }
}
