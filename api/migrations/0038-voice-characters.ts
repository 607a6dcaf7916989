// Why: a voice is designed after a sample, by its pitch, its pace and its brightness; so far only the pitch was kept.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const voiceCharactersMigration: Migration = {
  name: "0038-voice-characters",
  async up(transaction) {
    await sql`
      alter table agents add column voice_character jsonb;
      update agents
        set voice_character = jsonb_build_object('pitchHz', voice_pitch_hz, 'pace', null, 'brightnessDb', null)
        where voice_pitch_hz is not null;
      update agents
        set draft = (draft - 'voicePitchHz') || jsonb_build_object('voiceCharacter',
          case when draft->>'voicePitchHz' is null then null
          else jsonb_build_object('pitchHz', draft->'voicePitchHz', 'pace', null, 'brightnessDb', null) end)
        where draft is not null;
      alter table agents drop column voice_pitch_hz;
    `.execute(transaction);
  },
};
