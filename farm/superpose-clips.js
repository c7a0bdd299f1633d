// SPDX-FileCopyrightText: 2026 The Superpose Team
// SPDX-License-Identifier: GPL-3.0-or-later

// A job type for Flamenco: each clip is a task of its own, done by the command line of Superpose.
// docs/farm.md says how it is installed.

const JOB_TYPE = {
    label: "Superpose Clips",
    description: "Let the body in this file follow clips of motion capture, each into a file of its own",
    settings: [
        { key: "clips", type: "string", required: true,
          description: "BVH files as workers see them, one after the other with a semicolon between" },
        { key: "output", type: "string", subtype: "dir_path", required: true,
          description: "Folder for the files that are made, named after the clips" },
        { key: "smoothness", type: "float", default: 0.0,
          description: "How far targets give way to smooth motion, from 0 to 1" },
        { key: "clean", type: "bool", default: false,
          description: "Bridge what is not to be believed of targets, and take out noise" },
        { key: "step", type: "int32", default: 1, description: "Frames from one key to the next" },
        { key: "blendfile", type: "string", required: true, visible: "web", description: "The file with the body" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const clips = settings.clips.split(";").map((clip) => clip.trim()).filter((clip) => clip);
    const names = clips.map(nameOf);
    for (const name of names) {
        if (names.indexOf(name) !== names.lastIndexOf(name)) throw new Error(`Several clips are called ${name}`);
    }
    const pattern = clips.find((clip) => clip.includes("*"));
    if (pattern) throw new Error(`${pattern} is a pattern: the Manager does not see the clips, so name each`);
    if (!clips.length) throw new Error("No clip is named");
    clips.forEach((clip, number) => job.addTask(clipTask(settings, clip, names[number])));
}

function nameOf(clip) {
    return clip.split(/[\\/]/).pop().replace(/\.bvh$/i, "");
}

function clipTask(settings, clip, name) {
    const task = author.Task(name, "blender");
    const output = `${settings.output.replace(/[\\/]+$/, "")}/${name}.blend`;
    const how = ["--smoothness", `${settings.smoothness}`, "--step", `${settings.step}`];
    task.addCommand(author.Command("blender-render", {
        exe: "{blender}",
        exeArgs: "{blenderArgs}",
        argsBefore: [],
        blendfile: settings.blendfile,
        args: ["--command", "superpose", "bake", "--clips", clip, "--output", output,
               settings.clean ? "--clean" : "--no-clean", ...how],
    }));
    return task;
}
