import { CornerUpLeft, Ellipsis, type LucideIcon, SmilePlus } from 'lucide-react'
import { IconButton } from '../../ui/IconButton.tsx'
import type { Point } from '../../ui/Menu.tsx'
import './messageacts.css'

interface Props {
  /** Undefined where it is not possible. */
  onReact: ((below: Point) => void) | undefined
  onReply: (() => void) | undefined
  onMore: (below: Point) => void
}

/** Stands beside the bubble under the pointer, or with the focus. */
export const MessageBar = ({ onReact, onReply, onMore }: Props) => (
  <span className="msg-bar">
    {onReact && <BarButton icon={SmilePlus} label="React" onPress={onReact} />}
    {onReply && <BarButton icon={CornerUpLeft} label="Reply" onPress={onReply} />}
    <BarButton icon={Ellipsis} label="More" onPress={onMore} />
  </span>
)

interface ButtonProps {
  icon: LucideIcon
  label: string
  onPress: (below: Point) => void
}

const BarButton = ({ icon, label, onPress }: ButtonProps) => (
  <IconButton
    {...{ icon, label }}
    isTight
    onClick={({ currentTarget }) => {
      const { left, bottom } = currentTarget.getBoundingClientRect()
      onPress({ x: left, y: bottom })
    }}
  />
)
