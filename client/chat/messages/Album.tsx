import type { ComponentProps } from 'react'
import { AlbumBody } from '../files/AlbumBody.tsx'
import { useUnsentActs } from './useUnsentActs.tsx'

type Props = Omit<ComponentProps<typeof AlbumBody>, 'onRetry' | 'onDelete'> & { onUpgrade: () => void }

export function Album({ onUpgrade, ...album }: Props) {
  const { retry, remove } = useUnsentActs(onUpgrade)
  return <AlbumBody {...album} onRetry={retry} onDelete={remove} />
}
