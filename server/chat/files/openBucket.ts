import path from 'node:path'
import { defaultDataFolder } from '../../ground/db/binaries.ts'
import type { Config } from '../../settings/config.ts'
import type { Bucket } from './bucket.ts'
import { openFolder } from './folder.ts'

/** `root` is the project's folder. */
export async function openBucket(config: Config, root: string): Promise<Bucket> {
  if (config.s3) return (await import('./s3.ts')).openS3(config.s3)
  return await openFolder(path.join(config.dataFolder ?? defaultDataFolder(root), 'objects'))
}
