import { AtSign, QrCode, ScanLine } from 'lucide-react'
import { useState } from 'react'
import { Menu } from '../../ui/Menu.tsx'

/** By name or address, by the own code, or by the other person's. */
export type AddingWay = 'name' | 'invite' | 'scan'

/** Stands for the foot of the list in a low window. */
export function AddMenu({ onAdd, onClose }: { onAdd: (way: AddingWay) => void; onClose: () => void }) {
  const [at] = useState(() => {
    const { left = 0, bottom = 0 } = document.activeElement?.getBoundingClientRect() ?? {}
    return { x: left, y: bottom }
  })
  const items = [
    { icon: AtSign, label: 'Add by Username/Onion', onSelect: () => onAdd('name') },
    { icon: QrCode, label: 'Invite', onSelect: () => onAdd('invite') },
    { icon: ScanLine, label: 'Scan QR', onSelect: () => onAdd('scan') },
  ]
  return <Menu label="Add someone" at={at} items={items} onClose={onClose} />
}
