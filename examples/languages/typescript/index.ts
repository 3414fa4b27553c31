// A cluster from its profile: the same as ../yaml, checked by the compiler.
import * as bedplate from "@pulumi/bedplate"; // as `pulumi package add ../package` generates it
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const mirror = config.get("mirror");

const cluster = new bedplate.Cluster("cluster", {
    profile: {
        name: "lab",
        platform: "kubeadm",
        kubernetesVersion: "1.35",
        context: config.require("context"), // nothing is deployed with any other current context
        driverOwner: "operator",
        gpuDirect: "dmabuf",
        pools: [
            { name: "system", shape: { cpus: 8, memoryGib: 32 }, nodes: 1 },
            { name: "h100", shape: "dgx-h100", nodes: 2 },
        ],
        fabric: {
            kind: "roce",
            exposure: "shared",
            rails: ["rail0", "rail1", "rail2", "rail3", "rail4", "rail5", "rail6", "rail7"],
            ipam: { kind: "nv-ipam", network: "10.64.0.0/16" },
        },
        tenancy: { teams: [{ name: "research" }] },
        nfd: {},
        networkOperator: { readyTimeout: 300 },
        gpuOperator: { readyTimeout: 300 },
        charts: mirror ? { mirror } : undefined, // a folder or a registry of the site's own
    },
});

export const workloadContract = cluster.workloadContract;
